import Curl
import Gatehouse
import GatehouseStore
import Text

extension SettingParser where Value == String {
    static var text: Self { Self("") { text, _ in text } }

    /// The team ID or key ID of an Apple developer account. Today Apple uses ten capital letters and digits.
    static var appleIdentifier: Self {
        Self("the ten characters that Apple shows for it") { text in
            text.wholeMatch(of: /[A-Za-z0-9_]{1,64}/) == nil ? nil : text
        }
    }

    /// An address from which the server fetches: HTTPS, or plain HTTP to this machine.
    static var fetchURL: Self {
        Self("an https URL, or an http URL of this machine") { text in
            let scheme = text.hasPrefix("https://") ? "https://" : "http://"
            guard text.hasPrefix(scheme), text.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F }) else { return nil }
            let authority = text.dropFirst(scheme.utf8.count).prefix { $0 != "/" && $0 != "?" && $0 != "#" }
            guard !authority.isEmpty, !authority.hasPrefix(":"), !authority.contains("@") else { return nil }
            return scheme == "https://" || Loopback.isHost(ofAuthority: authority) ? text : nil
        }
    }
}

extension SettingParser where Value == [String] {
    /// - Parameter things: what the entries are, such as "bundle IDs".
    static func list(of things: String) -> Self {
        Self("a list of \(things) separated by commas, without empty entries") { text in
            text.list { $0.isEmpty ? nil : $0 }
        }
    }
}

extension SettingParser where Value == DatabaseAddress {
    static var database: Self {
        let format = "sqlite: followed by a path, or a postgresql:// URL"
        return Self(format) { text, faults in
            if let address = DatabaseAddress(text) { return address }
            let reason = PostgreSQLSettings.hasScheme(text) ? PostgreSQLSettings.fault(ofURL: text) : nil
            faults.append("must be " + format + (reason.map { ": " + $0 } ?? ""))
            return nil
        }
    }
}

extension SettingParser where Value == Int {
    static func number(_ range: ClosedRange<Int>) -> Self {
        Self("a number from \(range.lowerBound) to \(range.upperBound)") { text in
            Int(digits: text).flatMap { range.contains($0) ? $0 : nil }
        }
    }
}

extension SettingParser where Value == Duration {
    static func duration(_ range: ClosedRange<Duration>) -> Self {
        let (least, most) = (range.lowerBound.setting, range.upperBound.setting)
        return Self("a time such as 30s, 15m, 12h or 30d, from \(least) to \(most)") { text in
            Duration(setting: text).flatMap { range.contains($0) ? $0 : nil }
        }
    }

    /// A duration whose value `0` turns off the limit.
    static func durationOrZero(atMost most: Duration) -> Self {
        Self("0, or a time such as 10m, at most \(most.setting)") { text in
            Duration(setting: text == "0" ? "0s" : text).flatMap { $0 <= most ? $0 : nil }
        }
    }
}

extension SettingParser where Value: RawRepresentable<String> & CaseIterable {
    /// - Parameter read: nil for a text that names no case.
    static func oneOf(_ type: Value.Type, by read: @escaping @Sendable (String) -> Value? = { Value(rawValue: $0) })
        -> Self
    {
        oneOf(Array(type.allCases), by: read)
    }

    static func oneOf(
        _ values: [Value], by read: @escaping @Sendable (String) -> Value? = { Value(rawValue: $0) }
    ) -> Self {
        let names = values.map(\.rawValue)
        return Self("one of " + names.joined(separator: ", ")) { text in
            read(text).flatMap { names.contains($0.rawValue) ? $0 : nil }
        }
    }
}

extension Duration {
    static let day = Duration.seconds(86_400)

    private static let units: [(mark: Character, seconds: Int64)] = [("d", 86_400), ("h", 3600), ("m", 60), ("s", 1)]

    /// Reads `30s`, `15m`, `12h` or `30d`.
    package init?(setting text: String) {
        guard let mark = text.last, let unit = Self.units.first(where: { $0.mark == mark }),
            let count = Int64(digits: text.dropLast()), count <= 100 * 365 * 86_400 / unit.seconds
        else { return nil }
        self = .seconds(count * unit.seconds)
    }

    /// The form that `init(setting:)` reads.
    package var setting: String {
        let unit = Self.units.first { wholeSeconds != 0 && wholeSeconds % $0.seconds == 0 }
        return unit.map { "\(wholeSeconds / $0.seconds)\($0.mark)" } ?? "0s"
    }
}

extension String {
    /// The entries of a list with commas, without their blanks; nil if one of them cannot be read.
    func list<Entry>(_ read: (String) -> Entry?) -> [Entry]? {
        let texts = split(separator: ",", omittingEmptySubsequences: false).map { $0.filter { $0 != " " } }
        let entries = texts.compactMap(read)
        return entries.count == texts.count ? entries : nil
    }

    /// Without white space at either end.
    var trimmingWhiteSpace: String {
        String(drop { $0.isWhitespace }.reversed().drop { $0.isWhitespace }.reversed())
    }
}

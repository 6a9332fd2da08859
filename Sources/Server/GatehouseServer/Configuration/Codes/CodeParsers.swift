import CodeDelivery
import Gatehouse
import Text

extension SettingParser where Value == [CodeRate] {
    /// The rates of one limit.
    ///
    /// - Parameter count: the most that one of them can permit.
    static func rates(atMost count: Int = 1_000_000) -> Self {
        let most = CodeLimits.longestWindow
        return Self(
            "a list such as 1/1m,5/1h,10/1d: how many within which time, at most \(most.setting); 0/1h for none"
        ) {
            text in
            let entries = text.split(separator: ",", omittingEmptySubsequences: false).map { $0.filter { $0 != " " } }
            let rates = entries.compactMap { CodeRate(setting: $0, atMost: count) }
            return rates.count == entries.count ? rates : nil
        }
    }
}

extension CodeRate {
    /// Reads `5/1h`.
    fileprivate init?(setting text: String, atMost most: Int) {
        let parts = text.split(separator: "/", omittingEmptySubsequences: false)
        guard parts.count == 2, let count = Int(digits: parts[0]), count <= most,
            let window = Duration(setting: String(parts[1])), window > .zero, window <= CodeLimits.longestWindow
        else { return nil }
        self.init(count, per: window)
    }
}

extension SettingParser where Value == Set<Country> {
    static var countries: Self {
        Self("a list of countries by their ISO 3166 codes, such as CN,HK") { text in
            let codes = text.split(separator: ",", omittingEmptySubsequences: false).map { $0.filter { $0 != " " } }
            let countries = codes.compactMap(Country.init(code:))
            return countries.count == codes.count ? Set(countries) : nil
        }
    }
}

extension SettingParser where Value == Set<NumberKind> {
    static var numberKinds: Self {
        Self("a list of " + NumberKind.allCases.map(\.rawValue).joined(separator: ", ")) { text in
            let words = text.split(separator: ",", omittingEmptySubsequences: false).map { $0.filter { $0 != " " } }
            let kinds = words.compactMap(NumberKind.init(rawValue:))
            return kinds.count == words.count ? Set(kinds) : nil
        }
    }
}

extension SettingParser where Value == Country {
    /// A country whose national numbers can be read: where their lengths differ, a number of another country looks the same.
    static var countryOfNumbers: Self {
        Self("the ISO 3166 code of a country whose numbers all have one length, such as CN, HK or US") { text in
            Country(code: text).flatMap { $0.hasNumbersOfOneLength ? $0 : nil }
        }
    }
}

extension SettingParser where Value == [CodeAddress: CodePolicy.TestCode] {
    static var testCodes: Self {
        let format = "a list such as +8613800138000=<six random digits>@2026-12-31, with the last day of each code"
        return Self(format) { text, faults in
            var codes: Value = [:]
            for entry in text.split(separator: ",", omittingEmptySubsequences: false) {
                guard let (address, code) = testCode(entry.filter { $0 != " " }) else {
                    faults.append("must be \(format)")
                    return nil
                }
                if let fault = code.fault(now: .ofThisMachine), !faults.contains(fault) { faults.append(fault) }
                codes[address] = code
            }
            return codes
        }
    }

    /// The address may contain the signs that separate the parts, so they are looked for from the end.
    private static func testCode(_ text: String) -> (CodeAddress, CodePolicy.TestCode)? {
        guard let at = text.lastIndex(of: "@"), let equals = text[..<at].lastIndex(of: "=") else { return nil }
        let code = text[text.index(after: equals)..<at]
        guard code.utf8.count == 6, Int(digits: code) != nil, let address = CodeAddress(setting: text[..<equals]),
            let day = Timestamp(written: String(text[text.index(after: at)...])), day.milliseconds % 86_400_000 == 0
        else { return nil }
        // To the end of the day.
        return (address, CodePolicy.TestCode(code: String(code), endsAt: day + .seconds(86_400)))
    }
}

extension CodePolicy.TestCode {
    private static let longest = Duration.seconds(366 * 86_400)
    /// A clock that starts in 1970 stops no server.
    private static let earliest = Timestamp(seconds: 1_767_225_600)

    /// Why it may not be used: it signs in anyone who guesses it. One that has ended signs in nobody.
    fileprivate func fault(now: Timestamp) -> String? {
        if endsAt <= now { return nil }
        if now >= Self.earliest, endsAt > now + Self.longest {
            return "has a code whose last day is more than a year ahead: choose one soon after the review"
        }
        let digits = Array(code.utf8)
        let steps = zip(digits.dropFirst(), digits).map { $0 &- $1 }
        let hasSequence = steps.indices.dropFirst(2).contains { Set(steps[$0 - 2...$0]).count == 1 }
        guard hasSequence || Set(digits).count < 4 else { return nil }
        return "has a code that is easy to guess: it needs four different digits, and no sequence such as 1234"
    }
}

extension CodeAddress {
    fileprivate init?(setting text: some StringProtocol) {
        if let number = try? PhoneNumber(ofAnyKind: String(text)) {
            self.init(.phone, number.text)
        } else if let address = try? EmailAddress(String(text)) {
            self.init(.email, address.text)
        } else {
            return nil
        }
    }
}

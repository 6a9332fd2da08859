import FileSystem
import GatehouseStore
import POSIX

/// A file of settings, one on a line. The environment takes precedence over it.
package struct ConfigurationFile: Sendable {
    package static let usualPath = "/etc/gatehouse/gatehouse.conf"
    /// The environment variable that names another file.
    package static let variable = "GATEHOUSE_CONFIG"

    package let path: String
    /// The file in messages.
    let place: String
    private let names: SettingNames
    package private(set) var isReadable = true
    /// The faults, line by line. They contain no value and no unknown name: either may be part of a secret that was
    /// broken over two lines.
    private(set) var faults: [SettingFault] = []
    /// Warnings about the lines that were passed over.
    private var passed: [String] = []
    private(set) var values: [String: String] = [:]
    /// The settings that have a faulty line, and are therefore not reported as missing.
    var namesOfFaultyLines: Set<String> { Set(faults.compactMap { $0.lineOf ?? $0.unknown?.meant }) }
    private var lines: [String: Int] = [:]

    /// - Parameters:
    ///   - place: the file in messages; the path if it is nil.
    ///   - names: the settings that the file may have.
    init(path: String, as place: String? = nil, text: String, names: SettingNames = .ofServer) {
        self.path = path
        self.place = place ?? path
        self.names = names
        // Some editors begin a UTF-8 file with a byte order mark.
        let text = text.unicodeScalars.first == "\u{FEFF}" ? String(text.unicodeScalars.dropFirst()) : text
        // By bytes, because CR and LF together are one Character.
        for (index, line) in text.utf8.split(separator: 0x0A, omittingEmptySubsequences: false).enumerated() {
            add(ConfigurationLine(String(decoding: line, as: UTF8.self)), number: index + 1)
        }
    }

    /// A file that cannot be read.
    init(path: String, as place: String? = nil, unreadable reason: String, names: SettingNames = .ofServer) {
        self.path = path
        self.place = place ?? path
        self.names = names
        isReadable = false
        faults = [SettingFault(self.place, reason, in: path)]
    }

    private mutating func add(_ line: ConfigurationLine, number: Int) {
        switch line {
        case .blank: return
        case .malformed(let reason): addFault(number, reason)
        case .faulty(let name, let reason):
            guard isKnown(name, number) else { return }
            faults.append(SettingFault("\(place):\(number)", "\(name) \(reason)", in: path, lineOf: name))
        case .setting(let name, let value):
            guard isKnown(name, number) else { return }
            if let first = lines[name] { return addFault(number, "sets \(name) again: line \(first) already sets it") }
            lines[name] = number
            values[name] = value
        }
    }

    private mutating func isKnown(_ name: String, _ number: Int) -> Bool {
        if names.known.contains(name) { return true }
        if let reason = names.misplaced[name] {
            addFault(number, "\(name) \(reason)")
        } else {
            let unknown = UnknownName(name: name, meant: names.similar(to: name))
            let advice = unknown.meant.map { ": did you mean \($0)?" } ?? ""
            faults.append(
                SettingFault("\(place):\(number)", "sets an unknown setting" + advice, in: path, unknown: unknown))
        }
        return false
    }

    /// Without the faults of unknown names that are passed over.
    func passing(_ later: LaterSettings) -> ConfigurationFile {
        var file = self
        file.faults.removeAll { $0.unknown.map(later.passes) ?? false }
        file.passed = faults.compactMap(later.warning)
        return file
    }

    private mutating func addFault(_ number: Int, _ reason: String) {
        faults.append(SettingFault("\(place):\(number)", reason, in: path))
    }

    /// Warnings about lines that were passed over, and about secrets in the file itself, if every user can read it.
    var warnings: [String] { passed + openSecrets }

    private var openSecrets: [String] {
        guard let status = try? FileStatus(of: path), status.mode & 0o004 != 0 else { return [] }
        let database = Settings.table.process.database.name
        return names.secrets.filter { name in
            guard let value = values[name], !value.isEmpty else { return false }
            return name != database || PostgreSQLSettings.hasPassword(value)
        }.map {
            "\($0) is in \(path), which every user of this machine can read: put it into a file of its own"
        }
    }
}

// MARK: - Finding the file

extension ConfigurationFile {
    private static let largest = 65_536

    /// The file that the environment names, or the usual one if it exists; nil if no file is read.
    static func named(by variables: [String: String], usually usualPath: String) -> ConfigurationFile? {
        guard let path = variables[variable] else {
            // A file in a folder that this user cannot open may exist: reading it reports why that fails.
            return File.isMissing(usualPath) ? nil : reading(usualPath)
        }
        return path.isEmpty ? nil : reading(path)
    }

    private static func reading(_ path: String) -> ConfigurationFile {
        do throws(POSIXError) { return content(try File.read(path, atMost: largest), of: path) } catch {
            return ConfigurationFile(path: path, unreadable: explanation(of: error, at: path))
        }
    }

    /// A file in a folder of such files. Only a regular file is read: a named pipe would block the server.
    static func reading(_ path: String, as place: String, names: SettingNames) -> ConfigurationFile {
        if let kind = FileStatus.ifAny(at: path)?.kind, kind != .file {
            return ConfigurationFile(path: path, as: place, unreadable: "is not a regular file", names: names)
        }
        do throws(POSIXError) {
            return content(try File.readRegular(path, atMost: largest), of: path, as: place, names: names)
        } catch {
            let reason = explanation(of: error, at: path)
            return ConfigurationFile(path: path, as: place, unreadable: reason, names: names)
        }
    }

    private static func content(
        _ bytes: [UInt8], of path: String, as place: String? = nil, names: SettingNames = .ofServer
    ) -> ConfigurationFile {
        guard let text = String(validating: bytes, as: UTF8.self), !bytes.contains(0) else {
            return ConfigurationFile(path: path, as: place, unreadable: "is not UTF-8 text", names: names)
        }
        return ConfigurationFile(path: path, as: place, text: text, names: names)
    }

    private static func explanation(of error: POSIXError, at path: String) -> String {
        guard error.isDenied else { return "cannot be read: \(error.reason)" }
        let accounts = UserDatabase.ofThisMachine()
        let owner = (try? FileStatus(of: path)).map { ", and the file is \(accounts.ownership(of: $0))" } ?? ""
        return "cannot be read: \(error.reason); this is the user \(accounts.current.name)\(owner)"
    }
}

// MARK: - Syntax

/// A line of a configuration file. Nothing in it is expanded, escaped or continued.
private enum ConfigurationLine {
    /// Empty, or a comment.
    case blank
    case setting(name: String, value: String)
    /// A line for a setting whose value has a syntax error.
    case faulty(name: String, reason: String)
    case malformed(String)

    init(_ line: some StringProtocol) {
        let text = line.trimmed
        guard !text.isEmpty, !text.hasPrefix("#") else {
            self = .blank
            return
        }
        guard let equals = text.firstIndex(of: "=") else {
            self = .malformed("is neither KEY=value nor a comment")
            return
        }
        let name = text[..<equals].trimmed
        guard name.wholeMatch(of: /[A-Za-z][A-Za-z0-9_]*/) != nil else {
            self = .malformed("does not begin with the name of a setting")
            return
        }
        switch Self.value(of: text[text.index(after: equals)...].trimmed) {
        case .success(let value): self = .setting(name: name, value: value)
        case .failure(let fault): self = .faulty(name: name, reason: fault.reason)
        }
    }

    private struct Fault: Error {
        let reason: String
    }

    /// The text after the equals sign: as it is, or between quotes of one kind.
    private static func value(of text: String) -> Result<String, Fault> {
        if text.unicodeScalars.contains(where: { $0.value < 0x20 || $0.value == 0x7F }) {
            return .failure(Fault(reason: "has a control character in its value"))
        }
        guard let quote = text.first, quote == "\"" || quote == "'" else { return unquoted(text) }
        let inner = text.dropFirst()
        guard let end = inner.firstIndex(of: quote) else {
            return .failure(Fault(reason: "has no closing quote"))
        }
        guard inner.index(after: end) == inner.endIndex else {
            return .failure(Fault(reason: "has text after the closing quote"))
        }
        return .success(String(inner[..<end]))
    }

    /// Refuses text that other programs read differently, such as a comment at the end of a line.
    private static func unquoted(_ text: String) -> Result<String, Fault> {
        if text.hasPrefix("#") || text.contains(" #") || text.contains("\t#") {
            return .failure(Fault(reason: "has a # in its value: quote it, or put the comment on a line of its own"))
        }
        if text.hasSuffix("\\") { return .failure(Fault(reason: "ends in \\: lines are not continued")) }
        return .success(text)
    }
}

extension StringProtocol {
    /// Without blanks at either end, and without the carriage return of a Windows line end.
    fileprivate var trimmed: String {
        let isBlank: (Character) -> Bool = { $0 == " " || $0 == "\t" || $0 == "\r" }
        let rest = drop(while: isBlank)
        return String(rest.reversed().drop(while: isBlank).reversed())
    }
}

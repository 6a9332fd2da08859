import POSIX

/// A file of settings, one in a line, which whoever reads settings reads beneath the environment.
package struct ConfigurationFile: Sendable {
    package static let usualPath = "/etc/gatehouse/gatehouse.conf"

    package let path: String
    /// False where nothing is known of what it says.
    package private(set) var isReadable = true
    /// What is wrong with it, line by line. No value is among it, nor a name that is not one of ours: it may be half of
    /// a secret that somebody has broken in two.
    private(set) var faults: [SettingFault] = []
    private(set) var values: [String: String] = [:]
    /// The settings that a faulty line was meant for: they are not missing as well.
    private(set) var spoilt: Set<String> = []
    private var lines: [String: Int] = [:]

    init(path: String, text: String) {
        self.path = path
        // Some editors mark UTF-8 with what shows as nothing.
        let text = text.unicodeScalars.first == "\u{FEFF}" ? String(text.unicodeScalars.dropFirst()) : text
        // Two line ends are one Character: the bytes are told apart.
        for (index, line) in text.utf8.split(separator: 0x0A, omittingEmptySubsequences: false).enumerated() {
            take(SettingLine(String(decoding: line, as: UTF8.self)), number: index + 1)
        }
    }

    /// One of which nothing can be said but why.
    init(path: String, unreadable reason: String) {
        self.path = path
        isReadable = false
        faults = [SettingFault(path, reason)]
    }

    private mutating func take(_ line: SettingLine, number: Int) {
        switch line {
        case .blank: return
        case .malformed(let reason): note(number, reason)
        case .spoilt(let name, let reason):
            guard isKnown(name, number) else { return }
            spoilt.insert(name)
            note(number, "\(name) \(reason)")
        case .setting(let name, let value):
            guard isKnown(name, number) else { return }
            if let first = lines[name] { return note(number, "sets \(name) again: line \(first) does so already") }
            lines[name] = number
            values[name] = value
        }
    }

    private mutating func isKnown(_ name: String, _ number: Int) -> Bool {
        if Setting.writable.contains(name) { return true }
        if name == "GATEHOUSE_CONFIG" {
            note(number, "GATEHOUSE_CONFIG names this file, in the environment alone")
        } else if let meant = Setting.resembling(name) {
            spoilt.insert(meant)
            note(number, "sets what is no setting: did you mean \(meant)?")
        } else {
            note(number, "sets what is no setting")
        }
        return false
    }

    private mutating func note(_ number: Int, _ reason: String) {
        faults.append(SettingFault("\(path):\(number)", reason))
    }

    /// The secrets that are written into the file itself.
    var secrets: [String] { Setting.all.filter { $0.isSecret && !(values[$0.name] ?? "").isEmpty }.map(\.name) }
}

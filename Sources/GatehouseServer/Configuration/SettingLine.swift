/// A line of a configuration file. Nothing in it is expanded, escaped or continued: it stands for what it shows.
enum SettingLine: Equatable {
    /// Empty, or a comment.
    case blank
    case setting(name: String, value: String)
    /// Begins like a setting of this name, whose value is no good.
    case spoilt(name: String, reason: String)
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
        case .failure(let flaw): self = .spoilt(name: name, reason: flaw.reason)
        }
    }

    private struct Flaw: Error {
        let reason: String
    }

    /// What stands behind the equals sign: as it is, or between quotes of one kind.
    private static func value(of text: String) -> Result<String, Flaw> {
        if text.unicodeScalars.contains(where: { $0.value < 0x20 || $0.value == 0x7F }) {
            return .failure(Flaw(reason: "has a control character in its value"))
        }
        guard let quote = text.first, quote == "\"" || quote == "'" else { return plain(text) }
        let inner = text.dropFirst()
        guard let end = inner.firstIndex(of: quote) else {
            return .failure(Flaw(reason: "has a quote that never ends"))
        }
        guard inner.index(after: end) == inner.endIndex else {
            return .failure(Flaw(reason: "has something behind the closing quote"))
        }
        return .success(String(inner[..<end]))
    }

    /// What other programs read differently is refused: nobody is to believe that half a line is a comment.
    private static func plain(_ text: String) -> Result<String, Flaw> {
        if text.hasPrefix("#") || text.contains(" #") || text.contains("\t#") {
            return .failure(Flaw(reason: "has a # in its value: quote it, or give the comment a line of its own"))
        }
        if text.hasSuffix("\\") { return .failure(Flaw(reason: "ends in \\: lines are not continued")) }
        return .success(text)
    }
}

extension StringProtocol {
    /// Without blanks around it, and without the end of a line of Windows.
    fileprivate var trimmed: String {
        let isBlank: (Character) -> Bool = { $0 == " " || $0 == "\t" || $0 == "\r" }
        let rest = drop(while: isBlank)
        return String(rest.reversed().drop(while: isBlank).reversed())
    }
}

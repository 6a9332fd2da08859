package import Gatehouse

/// What a `…_PREVIOUS` setting holds: several keys, the newest first, each with what `gatehouse keys rotate` recorded of
/// it. Secrets stand one on a line, private keys as PEM blocks one after the other; a line that begins with `#` is a
/// comment.
package struct KeyList: Sendable, Equatable {
    package enum Form: Sendable {
        case line
        case pem
    }

    /// What a comment above a key says of it.
    package enum Record: Sendable, Equatable {
        /// The key signed or sealed until then.
        case replaced(Timestamp)
        /// The key is in the key set since then, and has not signed yet.
        case published(Timestamp)
    }

    package struct Entry: Sendable, Equatable {
        package let text: String
        /// Where it begins, counted from 1.
        package let line: Int
        package var record: Record?
        /// Other comments above it.
        package var comments: [String]

        package init(_ text: String, line: Int = 0, record: Record? = nil, comments: [String] = []) {
            self.text = text
            self.line = line
            self.record = record
            self.comments = comments
        }
    }

    /// Each key is tried for some requests, and each public key stands in the key set.
    package static let most = 16

    package var entries: [Entry]
    /// Comments below the last key.
    private var rest: [String] = []

    package init(_ entries: [Entry] = []) {
        self.entries = entries
    }

    package init(parsing text: String, _ form: Form) {
        var parser = Parser(form: form)
        // A line of Windows ends in one Character of two bytes.
        let lines = text.split(omittingEmptySubsequences: false) { $0 == "\n" || $0 == "\r\n" }
        for (index, line) in lines.enumerated() { parser.take(String(line), number: index + 1) }
        parser.end()
        entries = parser.entries
        rest = parser.comments
    }

    /// The content of a file, with a line end behind the last line.
    package var text: String {
        let lines = entries.flatMap { entry in
            entry.comments + (entry.record.map { [$0.comment] } ?? []) + [entry.text]
        }
        return (lines + rest).map { $0 + "\n" }.joined()
    }

    /// Whether it has no key, and a comment that may be one: before comments there were, a secret could begin with `#`.
    package var hidesKey: Bool {
        entries.isEmpty
            && rest.contains { comment in
                comment.drop { $0 == "#" }.first.map { !$0.isWhitespace } ?? false
            }
    }

    package func contains(_ text: String) -> Bool { entries.contains { $0.text == text } }

    package func without(_ text: String) -> KeyList {
        var list = self
        list.entries.removeAll { $0.text == text }
        return list
    }

    /// With a key in front.
    package func adding(_ entry: Entry) -> KeyList {
        var list = without(entry.text)
        list.entries.insert(entry, at: 0)
        return list
    }
}

extension KeyList.Record {
    package var moment: Timestamp {
        switch self {
        case .replaced(let moment), .published(let moment): moment
        }
    }

    /// The comment that states it.
    var comment: String {
        switch self {
        case .replaced(let moment): "# replaced \(moment)"
        case .published(let moment): "# published \(moment), to sign after the next: gatehouse keys rotate"
        }
    }

    /// Nil for any other comment.
    init?(comment: String) {
        guard let match = comment.prefixMatch(of: /# (replaced|published) ([0-9-]+T[0-9:.]+Z)/),
            let moment = Timestamp(written: String(match.2))
        else { return nil }
        self = match.1 == "replaced" ? .replaced(moment) : .published(moment)
    }
}

extension Timestamp {
    /// RFC 3339 in UTC, rounded up: at that time the moment is over.
    package var toTheSecond: String { (self + .milliseconds(999)).description.prefix(19) + "Z" }
}

/// Collects the keys of a list, line by line.
private struct Parser {
    let form: KeyList.Form
    var entries: [KeyList.Entry] = []
    var comments: [String] = []
    private var record: KeyList.Record?
    private var block: [String] = []
    private var start = 0

    init(form: KeyList.Form) {
        self.form = form
    }

    mutating func take(_ line: String, number: Int) {
        if line.hasPrefix("#") { return note(line) }
        guard !block.isEmpty || !line.allSatisfy(\.isWhitespace) else { return }
        if block.isEmpty { start = number }
        block.append(line)
        if form == .line || Self.endsKey(line) { finish() }
    }

    /// What follows the last private key without being one is no part of it.
    mutating func end() {
        if entries.isEmpty || block.contains(where: { $0.hasPrefix("-----BEGIN") }) { finish() }
    }

    private mutating func note(_ comment: String) {
        if let record = KeyList.Record(comment: comment) {
            self.record = record
        } else {
            comments.append(comment)
        }
    }

    private mutating func finish() {
        guard !block.isEmpty else { return }
        let text = block.joined(separator: "\n")
        entries.append(KeyList.Entry(text, line: start, record: record, comments: comments))
        (block, record, comments) = ([], nil, [])
    }

    private static func endsKey(_ line: String) -> Bool {
        line.hasPrefix("-----END") && line.trimmingWhiteSpace.hasSuffix("PRIVATE KEY-----")
    }
}

package import Gatehouse

/// The keys of a `…_PREVIOUS` setting, the newest first, each with the record that `gatehouse keys rotate` wrote for
/// it. A secret takes one line, a private key one PEM block. A line that begins with `#` is a comment.
package struct KeyList: Sendable, Equatable {
    package enum Form: Sendable {
        case line
        case pem
    }

    /// A comment above a key that `gatehouse keys rotate` wrote.
    package enum Record: Sendable, Equatable {
        /// The time until which the key signed or encrypted.
        case replaced(Timestamp)
        /// The time from which the key is in the key set. It does not sign yet.
        case published(Timestamp)
    }

    package struct Entry: Sendable, Equatable {
        package let text: String
        /// The line on which the key begins, counted from 1.
        package let line: Int
        package var record: Record?
        /// Other comments above it.
        package var comments: [String]

        package init(_ text: String, line: Int = 0, record: Record? = nil, comments: [String] = []) {
            (self.text, self.line, self.record, self.comments) = (text, line, record, comments)
        }
    }

    /// The maximum number of keys: some requests try each key, and the key set contains each public key.
    package static let maximumCount = 16

    package var entries: [Entry]
    /// Comments below the last key.
    private var trailingComments: [String] = []

    package init(_ entries: [Entry] = []) {
        self.entries = entries
    }

    package init(parsing text: String, _ form: Form) {
        var parser = Parser(form: form)
        // CR and LF together are one Character.
        let lines = text.split(omittingEmptySubsequences: false) { $0 == "\n" || $0 == "\r\n" }
        for (index, line) in lines.enumerated() { parser.add(String(line), number: index + 1) }
        parser.end()
        entries = parser.entries
        trailingComments = parser.comments
    }

    /// The content of the setting's file.
    package var text: String {
        let lines = entries.flatMap { entry in
            entry.comments + (entry.record.map { [$0.comment] } ?? []) + [entry.text]
        }
        return (lines + trailingComments).map { $0 + "\n" }.joined()
    }

    /// Whether there is no key but a comment that may be one: an operator may have set a secret that begins with `#`.
    package var hidesKey: Bool {
        entries.isEmpty
            && trailingComments.contains { comment in
                comment.drop { $0 == "#" }.first.map { !$0.isWhitespace } ?? false
            }
    }

    package func contains(_ text: String) -> Bool { entries.contains { $0.text == text } }

    package func without(_ text: String) -> KeyList {
        var list = self
        list.entries.removeAll { $0.text == text }
        return list
    }

    /// A list with this key first.
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

    /// The comment that `init(comment:)` reads.
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
    /// RFC 3339 in UTC, rounded up to a whole second.
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

    mutating func add(_ line: String, number: Int) {
        if line.hasPrefix("#") { return addComment(line) }
        guard !block.isEmpty || !line.allSatisfy(\.isWhitespace) else { return }
        if block.isEmpty { start = number }
        block.append(line)
        if form == .line || Self.endsKey(line) { finish() }
    }

    /// Ignores text after the last private key that is not a key.
    mutating func end() {
        if entries.isEmpty || block.contains(where: { $0.hasPrefix("-----BEGIN") }) { finish() }
    }

    private mutating func addComment(_ comment: String) {
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

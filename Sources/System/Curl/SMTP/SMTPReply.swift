import Text

/// The reply of a mail server to one command, without its text, which may contain an address.
package struct SMTPReply: Sendable, Equatable, CustomStringConvertible {
    package let code: Int
    /// The enhanced status code (RFC 3463), such as `5.1.1`.
    package private(set) var status: String?
    /// Whether the text says that this sender or recipient gets too many messages.
    package private(set) var mentionsLimit = false

    package init(code: Int, status: String? = nil, mentionsLimit: Bool = false) {
        (self.code, self.status, self.mentionsLimit) = (code, status, mentionsLimit)
    }

    package var isFailure: Bool { code >= 400 }

    package var description: String { "\(code)" + (status.map { " " + $0 } ?? "") }
}

// MARK: - Reading

extension SMTPReply {
    /// Reads one line. Nil unless it begins with a code.
    init?(line: [UInt8]) {
        guard line.count >= 3, let code = Int(String(decoding: line[..<3], as: UTF8.self)), (100...999).contains(code)
        else { return nil }
        let words = line.dropFirst(4).map(Self.lowercase).split { $0 <= UInt8(ascii: " ") }
        let status = words.first.flatMap { Self.status($0, of: code) }
        // x.2.2 is a full mailbox, whose quota is not one of senders.
        let mayMention = status?.hasSuffix(".2.2") != true
        self.init(
            code: code, status: status,
            mentionsLimit: mayMention && Self.mentionLimit(words.map { String(decoding: $0, as: UTF8.self) }))
    }

    /// Whether further lines of the same reply follow.
    static func isContinued(_ line: [UInt8]) -> Bool { line.count > 3 && line[3] == UInt8(ascii: "-") }

    /// This reply with what an earlier line of it says.
    func joined(to earlier: SMTPReply?) -> SMTPReply {
        guard let earlier, earlier.code == code else { return self }
        return SMTPReply(
            code: code, status: status ?? earlier.status, mentionsLimit: mentionsLimit || earlier.mentionsLimit)
    }

    /// Three numbers with dots, of the same class as the code.
    private static func status(_ word: ArraySlice<UInt8>, of code: Int) -> String? {
        let numbers = word.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        let areNumbers = numbers.allSatisfy { (1...3).contains($0.count) && $0.allSatisfy(\.isDigit) }
        guard numbers.count == 3, areNumbers, word.first == UInt8(ascii: "0") + UInt8(code / 100) else { return nil }
        return String(decoding: word, as: UTF8.self)
    }

    /// No code is reserved for a limit, so the words decide. They are those of common mail servers and mail services.
    private static func mentionLimit(_ words: [String]) -> Bool {
        let beginnings = ["throttl", "ratelimit", "rate-limit", "rate_limit", "quota"]
        let pairs: [(String, String)] = [
            ("too", "many"), ("too", "much"), ("too", "fast"), ("rate", "limit"), ("sending", "rate"),
            ("limit", "exceeded"), ("exceeded", "limit"), ("sending", "limit"), ("message", "limit"), ("slow", "down"),
        ]
        return words.contains { word in beginnings.contains { word.hasPrefix($0) } }
            || zip(words, words.dropFirst()).contains { first, second in
                pairs.contains { first == $0.0 && second.hasPrefix($0.1) }
            }
    }

    private static func lowercase(_ byte: UInt8) -> UInt8 {
        (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte) ? byte | 0x20 : byte
    }
}

/// Follows the conversation of a transfer: its last step, and the last reply. It keeps no argument of a command, since
/// commands contain the password and the address.
final class SMTPDialogue {
    private var step = SMTPStep.connection
    /// The last reply, and the step that it answers.
    private(set) var answer: (step: SMTPStep, reply: SMTPReply)?
    private(set) var hasLoggedIn = false
    /// The lines of a reply that is not complete.
    private var part: SMTPReply?

    /// Whether the outcome is known, and only QUIT is left.
    var isOver: Bool { step == .quit }

    func sent(_ line: some Sequence<UInt8>) {
        if let step = SMTPStep(command: line) { self.step = step }
    }

    func received(_ line: [UInt8]) {
        guard !isOver, let read = SMTPReply(line: line) else { return }
        let whole = read.joined(to: part)
        part = SMTPReply.isContinued(line) ? whole : nil
        if part == nil { finish(whole) }
    }

    private func finish(_ whole: SMTPReply) {
        answer = (step, whole)
        switch (step, whole.code) {
        case (.login, 235): hasLoggedIn = true
        // The next reply is about the message.
        case (.data, 354): step = .message
        default: break
        }
    }
}

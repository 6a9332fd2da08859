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

import POSIX

/// Commands that take something away ask for a yes on a terminal, and demand `--yes` elsewhere.
extension Input {
    /// Refuses a call that can neither be asked nor has `--yes`: without a terminal, the end of the input or a stray line
    /// would be taken for the answer.
    func demandConfirmable(_ refusal: String) throws(CommandFault) {
        guard has("--yes") || Terminal.isAttached else { throw CommandFault(.usage, refusal) }
    }

    /// Asks, unless `--yes` is given.
    func confirm(_ question: String, otherwise: String = "nothing was changed") throws(CommandFault) {
        if has("--yes") { return }
        StandardStream.error.line(question)
        guard readLine()?.lowercased() == "yes" else { throw CommandFault(.no, otherwise) }
    }
}

import CommandLineTool
import FileSystem

/// Confirmation of commands that remove data: on a terminal the user types yes, a script passes `--yes`.
extension Arguments {
    /// Throws if there is neither a terminal nor `--yes`. Without a terminal, an empty or unrelated input would count
    /// as the answer.
    func requireConfirmation(_ message: String) throws(CommandError) {
        guard has("--yes") || Terminal.isAttached else { throw CommandError(.usage, message) }
    }

    /// Asks the question, unless `--yes` is given.
    func confirm(_ question: String, otherwise: String = "nothing was changed") throws(CommandError) {
        if has("--yes") { return }
        StandardStream.error.line(question)
        guard readLine()?.lowercased() == "yes" else { throw CommandError(.no, otherwise) }
    }
}

import POSIX

/// Why a command gave up.
struct CommandFault: Error {
    let status: ExitStatus
    let message: String

    init(_ status: ExitStatus, _ message: String) {
        self.status = status
        self.message = message
    }
}

extension Command {
    /// Runs a command's work and says on standard error why it gave up, if it does.
    func attempt(_ work: () throws(CommandFault) -> ExitStatus) -> ExitStatus {
        do { return try work() } catch {
            StandardStream.error.line("gatehouse: \(error.message)")
            return error.status
        }
    }
}

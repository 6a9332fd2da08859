import GatehouseServer
import POSIX

/// Why a command gives up, on standard error: lines for a person, or lines of the log with their priority. In the journal,
/// `journalctl -p err` then shows what stopped a start or a backup.
struct Complaint {
    private let command: String
    private let isLogged: Bool

    /// - Parameter command: nil where the words call none.
    init(of command: (any Command)?) {
        self.command = command?.name ?? "gatehouse"
        // A server writes a log wherever no person reads along: in a container, or into a file.
        isLogged = FatalLine.isForJournal || command is ServeCommand && !Terminal.showsErrors
    }

    /// - Parameter details: each of them is a fault by itself.
    func make(_ message: String, details: [String] = []) {
        guard isLogged else {
            let lines = [details.isEmpty ? message : message + ":"] + details.map { "  " + $0 }
            return StandardStream.error.line("gatehouse: \(lines.joined(separator: "\n").printableLines)")
        }
        for fault in details.isEmpty ? [message] : details { FatalLine.write(fault, of: command) }
    }

    /// What to do, where a person reads it.
    func advise(_ text: String) {
        if !isLogged { StandardStream.error.line(text) }
    }
}

import GatehouseServer
import POSIX

struct VersionCommand: Command {
    let words = ["version"]
    let summary = "Print the version."

    func run(_ input: Input) throws(CommandFault) -> ExitStatus {
        StandardStream.output.line("gatehouse \(Version.current)")
        return .done
    }
}

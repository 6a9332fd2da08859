import CommandLineTool
import FileSystem
import GatehouseServer
import Processes

struct ReloadCommand: Command {
    let words = ["reload"]
    let summary = "Reload the settings of a running server, and report whether it accepted them."
    let discussion = """
        For ExecReload= of a unit: `systemctl reload gatehouse` runs it as the user of the server. It sends SIGHUP to the
        process PID and waits until the server has accepted or rejected the settings. kill -HUP does the same without
        waiting.

        Exits 0 when the new settings are in force; the log names those that need a restart. Exits 1 when the server
        rejected them and keeps the previous ones: its log names every fault, and this command prints them too if it may
        read the secrets. Exits 3 when there is no such process, or it does not answer within 30 seconds.
        """
    let parameters = ["PID"]

    private static let timeout = Duration.seconds(30)

    func run(_ arguments: Arguments) throws(CommandError) -> ExitStatus {
        guard let process = Int32(arguments.positional[0]), process > 0 else {
            throw CommandError(.usage, "PID must be the process id of the server")
        }
        try requireSameUser(process)
        try requireGatehouse(process)
        let isAccepted: Bool?
        do { isAccepted = try AnsweredSignal.ask(process, .hangUp, within: Self.timeout) } catch {
            throw CommandError(.failed, "the settings were not reloaded: \(error)")
        }
        switch isAccepted {
        case true?: return .done
        case false?: throw rejection
        case nil:
            let advice = "read its log, and restart it if it hangs or is an older version"
            throw CommandError(.failed, "process \(process) does not answer: \(advice)")
        }
    }

    /// SIGHUP terminates most other programs.
    private func requireGatehouse(_ process: Int32) throws(CommandError) {
        guard let name = try? File.read("/proc/\(process)/comm", atMost: 64) else { return }
        guard String(decoding: name, as: UTF8.self) == "gatehouse\n" else {
            throw CommandError(.usage, "process \(process) is not gatehouse: no signal was sent")
        }
    }

    /// A server of another user cannot answer a process of root.
    private func requireSameUser(_ process: Int32) throws(CommandError) {
        guard Privileges.isRoot, let owner = FileStatus.ifAny(at: "/proc/\(process)")?.owner, owner != 0 else {
            return
        }
        let advice = "use systemctl reload gatehouse, or kill -HUP \(process), which waits for no answer"
        throw CommandError(.usage, "process \(process) belongs to another user and cannot answer root: \(advice)")
    }

    /// Reads the settings again to name the faults, if this process may read all of them: systemd 252 hides a service's
    /// credentials from the command that reloads it.
    private var rejection: CommandError {
        let message = "the server rejected the settings and keeps the previous ones"
        let source = SettingSource.current()
        do throws(SettingFaults) {
            if source.closedFolder == nil { _ = try Configuration(from: source) }
        } catch {
            return CommandError(.no, message, details: error.faults.map(\.description))
        }
        return CommandError(.no, message + ": its log names each fault (event reload)")
    }
}

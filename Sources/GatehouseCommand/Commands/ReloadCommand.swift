import GatehouseServer
import POSIX

struct ReloadCommand: Command {
    let words = ["reload"]
    let summary = "Have a running server read its settings anew, and say whether it took them."
    let discussion = """
        For ExecReload= of a unit: `systemctl reload gatehouse` calls it as the user of the server. It sends SIGHUP to the
        process PID and waits until the server has taken the settings over or refused them. kill -HUP does the same, and
        waits for nothing.

        Exits 0 when the new settings are in force (those that need a restart wait for it, and the log names them); 1 when
        they are refused, and the server goes on with those before: its log has every fault, and this prints them as well
        where it may read the secrets; 3 when there is no such process, or it does not answer within 30 seconds.
        """
    let arguments = ["PID"]

    private static let patience = Duration.seconds(30)

    func run(_ input: Input) throws(CommandFault) -> ExitStatus {
        guard let process = Int32(input.arguments[0]), process > 0 else {
            throw CommandFault(.usage, "PID must be the number of the server's process")
        }
        try refuseOtherUsers(of: process)
        try refuseOtherPrograms(at: process)
        let isDone: Bool?
        do { isDone = try AnsweredSignal.ask(process, .hangUp, within: Self.patience) } catch {
            throw CommandFault(.failed, "the settings were not reloaded: \(error)")
        }
        switch isDone {
        case true?: return .done
        case false?: throw refusal
        case nil:
            let advice = "look at its log, and restart it where it hangs or is of an older version"
            throw CommandFault(.failed, "the process \(process) does not answer: \(advice)")
        }
    }

    /// SIGHUP ends most programs.
    private func refuseOtherPrograms(at process: Int32) throws(CommandFault) {
        guard let name = try? File.read("/proc/\(process)/comm", atMost: 64) else { return }
        guard String(decoding: name, as: UTF8.self) == "gatehouse\n" else {
            throw CommandFault(.usage, "the process \(process) is not a gatehouse: nothing was sent to it")
        }
    }

    /// The answer of a server that is not root's cannot reach a process of root.
    private func refuseOtherUsers(of process: Int32) throws(CommandFault) {
        guard Privileges.areRoots, let owner = FileStatus.ifAny(at: "/proc/\(process)")?.owner, owner != 0 else {
            return
        }
        let advice = "systemctl reload gatehouse calls this as its user; kill -HUP \(process) waits for no answer"
        throw CommandFault(.usage, "the process \(process) is not root's: \(advice)")
    }

    /// The faults are read here once more, where all settings can be. systemd 252 closes the credentials of a service to the
    /// command that reloads it.
    private var refusal: CommandFault {
        let message = "the settings are refused, and those before stay in force"
        let source = SettingSource.current()
        do throws(SettingFaults) {
            if source.denial == nil { _ = try Configuration(from: source) }
        } catch {
            return CommandFault(.no, message, details: error.faults.map(\.description))
        }
        return CommandFault(.no, message + ": each fault is in the log of the server (event reload)")
    }
}

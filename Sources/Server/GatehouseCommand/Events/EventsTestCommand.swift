import CommandLineTool
import EventDelivery
import FileSystem
import Gatehouse
import GatehouseServer

struct EventsTestCommand: Command {
    let words = ["events", "test"]
    let summary = "Send a test event to a receiver."
    let discussion = """
        Sends an event of the type gatehouse.test, about a user who does not exist, with the address and the secret of the
        settings, once. Call it as root; gatehouse check --settings shows whether the service can read them. A receiver ignores a
        type that it does not know, and answers 2xx; nothing is queued or counted.

        Exits 0 if the receiver has accepted it, 1 if it has answered otherwise, 2 if the settings are not usable or have no such
        receiver, and 3 if there was no answer.
        """
    let parameters = ["RECEIVER"]

    func run(_ arguments: Arguments) throws(CommandError) -> ExitStatus {
        let name = arguments.positional[0]
        let receivers = try readSettings { () throws(SettingFaults) in try Configuration.receivers(from: .current()) }
        guard let receiver = receivers.first(where: { $0.name == name }) else {
            let names = receivers.map(\.name).joined(separator: ", ")
            throw CommandError(
                .usage, "the settings have no receiver \(name.printable)\(names.isEmpty ? "" : ": they have \(names)")")
        }
        try ServiceUser.replaceRoot()
        switch receiver.sendTest(.system) {
        case .accepted: StandardStream.output.line("\(name): it has accepted the event")
        case .gone: throw CommandError(.no, "\(name): it answers that it wants no more events (status 410)")
        case .busy(_, let fault), .refused(let fault): throw CommandError(.no, "\(name): \(fault)")
        case .unreachable(let fault): throw CommandError(.failed, "\(name): \(fault)")
        }
        return .done
    }
}

import CommandLineTool
import EventDelivery
import FileSystem
import Gatehouse
import GatehouseServer
import JSON

struct EventsReceiversCommand: Command {
    let words = ["events", "receivers"]
    let summary = "List the receivers of events, and how many events wait for each."
    let discussion = """
        Reads DATABASE_URL. The settings of the receivers are in the files of RECEIVERS_DIR; this is what the servers have
        registered. OLDEST is when the oldest event happened that waits. A receiver that has answered 410 is STOPPED until
        gatehouse events resume.
        """
    let options = [Option.json]

    func run(_ arguments: Arguments) throws(CommandError) -> ExitStatus {
        let states = try OperatorDatabase().perform { try $0.receiverStates() }
        Report(
            json: ["receivers": .array(states.map(\.json))],
            text: Table(states.map(\.row), under: ReceiverState.columns).text
        ).print(for: arguments)
        return .done
    }
}

struct EventsResumeCommand: Command {
    let words = ["events", "resume"]
    let summary = "Send events again to a receiver that has answered 410."
    let discussion = """
        Reads DATABASE_URL. What has waited since is sent first. Also exits 0 if the receiver was not stopped.
        """
    let parameters = ["RECEIVER"]
    let options = [Option.json]

    func run(_ arguments: Arguments) throws(CommandError) -> ExitStatus {
        let name = arguments.positional[0]
        let isKnown = try OperatorDatabase().perform { try $0.resume(name) }
        guard isKnown else {
            throw CommandError(.no, "no receiver has the name \(name.printable): see gatehouse events receivers")
        }
        Report(json: ["receiver": .string(name)], text: "\(name) gets events").print(for: arguments)
        return .done
    }
}

struct EventsForgetCommand: Command {
    let words = ["events", "forget"]
    let summary = "Forget a receiver that was removed from the settings, and delete its events."
    let discussion = """
        Reads DATABASE_URL. Remove the receiver from the settings of all nodes before, and reload them: a node that still has it
        registers it again. On a terminal the command asks for confirmation, a script has to pass --yes.
        """
    let parameters = ["RECEIVER"]
    let options = [Option(name: "--yes", help: "forget it without confirmation"), .json]

    func run(_ arguments: Arguments) throws(CommandError) -> ExitStatus {
        try arguments.requireConfirmation("its events are lost: without a terminal, confirm it with --yes")
        let name = arguments.positional[0]
        let database = try OperatorDatabase()
        let states = try database.perform { try $0.receiverStates() }
        guard let state = states.first(where: { $0.name == name }) else {
            // A command that was interrupted has removed it, and may have left events.
            try database.perform { try $0.forget(name) }
            throw CommandError(.no, "no receiver has the name \(name.printable): see gatehouse events receivers")
        }
        try arguments.confirm(
            "\(state.waiting) events wait for \(name), and \(state.dead) are dead letters. Type yes to delete them.",
            otherwise: "nothing was deleted")
        try database.perform { try $0.forget(name) }
        Report(json: ["receiver": .string(name)], text: "\(name) is forgotten").print(for: arguments)
        return .done
    }
}

extension ReceiverState {
    static let columns = ["NAME", "TYPES", "WAITING", "OLDEST", "DEAD", "STOPPED", "SEEN"]

    /// The cells under `columns`.
    var row: [String?] {
        [
            subscription.name, typeNames?.joined(separator: " ") ?? "all", "\(waiting)", oldest?.description, "\(dead)",
            stoppedAt?.description, seenAt.description,
        ]
    }

    var json: JSONValue {
        [
            "name": .string(subscription.name),
            "types": typeNames.map { .array($0.map(JSONValue.string)) } ?? .null,
            "waiting": .integer(Int64(waiting)), "oldest": JSONValue(oldest?.description),
            "dead": .integer(Int64(dead)), "stoppedAt": JSONValue(stoppedAt?.description),
            "seenAt": .string(seenAt.description),
        ]
    }

    private var typeNames: [String]? { subscription.types?.map(\.rawValue).sorted() }
}

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

import CommandLineTool
import Gatehouse
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
        let states = try OperatorDatabase().perform { administration in try administration.receiverStates() }
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
        let isKnown = try OperatorDatabase().perform { administration in try administration.resume(name) }
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
        let states = try database.perform { administration in try administration.receiverStates() }
        guard let state = states.first(where: { $0.name == name }) else {
            // A command that was interrupted has removed it, and may have left events.
            try database.perform { administration in try administration.forget(name) }
            throw CommandError(.no, "no receiver has the name \(name.printable): see gatehouse events receivers")
        }
        try arguments.confirm(
            "\(state.waiting) events wait for \(name), and \(state.dead) are dead letters. Type yes to delete them.",
            otherwise: "nothing was deleted")
        try database.perform { administration in try administration.forget(name) }
        Report(json: ["receiver": .string(name)], text: "\(name) is forgotten").print(for: arguments)
        return .done
    }
}

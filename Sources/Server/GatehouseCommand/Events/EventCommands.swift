import CommandLineTool
import FileSystem
import Gatehouse
import JSON

struct EventsListCommand: Command {
    let words = ["events", "list"]
    let summary = "List the events that receivers have not been told, oldest first."
    let discussion = """
        Reads DATABASE_URL. An event is listed for each receiver that has not been told. DUE is when it is sent next; a dead
        letter has failed for three days and is sent again only by gatehouse events retry.
        """
    let options =
        EventSelection.options + [
            Option(name: "--limit", value: "N", help: "how many events (50)"),
            Option(name: "--after", value: "NUMBER", help: "only events after this number"), .json,
        ]

    func run(_ arguments: Arguments) throws(CommandError) -> ExitStatus {
        let database = try OperatorDatabase()
        var query = try EventSelection.query(
            arguments, in: database, limit: try arguments.limit(default: 50))
        if let text = arguments.value("--after") {
            guard let number = Int64(text), number >= 0 else {
                throw CommandError(.usage, "--after must be a number of an event")
            }
            query.after = number
        }
        let limit = query.limit
        // One more row than is printed shows whether there is a next page.
        query.limit += 1
        let found = try database.perform { try $0.events(query) }
        let events = Array(found.prefix(limit))
        let next = found.count > limit ? events.last?.number : nil
        Report(
            json: ["events": .array(events.map(\.json)), "next": next.map { .integer($0) } ?? .null],
            text: Table(events.map(\.row), under: QueuedEvent.columns).text
        ).print(for: arguments)
        if let next, !arguments.has(Option.json.name) {
            let words = ["gatehouse", name] + EventSelection.words(of: arguments) + ["--after", "\(next)"]
            StandardStream.error.line("Next page: \(words.joined(separator: " "))")
        }
        return .done
    }
}

struct EventsShowCommand: Command {
    let words = ["events", "show"]
    let summary = "Show one event, for each receiver that has not been told."
    let discussion = """
        Reads DATABASE_URL. ID is the webhook-id that the receiver gets. Exits 1 if each receiver has been told, or if there
        was no such event.
        """
    let parameters = ["ID"]
    let options = [Option.json]

    func run(_ arguments: Arguments) throws(CommandError) -> ExitStatus {
        let query = EventQuery(id: arguments.positional[0], limit: 1000)
        let events = try OperatorDatabase().perform { try $0.events(query) }
        guard !events.isEmpty else {
            throw CommandError(.no, "no receiver waits for an event with the id \(arguments.positional[0].printable)")
        }
        Report(
            json: ["events": .array(events.map(\.json))],
            text: events.map(\.report).joined(separator: "\n\n")
        ).print(for: arguments)
        return .done
    }
}

struct EventsRetryCommand: Command {
    let words = ["events", "retry"]
    let summary = "Send events again, at once: dead letters, and those that wait for their next attempt."
    let discussion = """
        Reads DATABASE_URL. Give ids of events, or select them: --dead for all dead letters, --receiver for all events of a
        receiver, --user for all of a user. A running server sends them within seconds, those of a user in their order, and
        tries for three days; a pause of their receivers ends. A receiver that has answered 410 needs gatehouse events resume.
        Exits 1 if there is no such event.
        """
    let repeatedParameter: String? = "ID"
    let options = EventSelection.options + [.json]

    func run(_ arguments: Arguments) throws(CommandError) -> ExitStatus {
        let database = try OperatorDatabase()
        let count = try EventSelection.apply(arguments, in: database) { try $0.retry($1) }
        Report(json: ["events": .integer(Int64(count))], text: "\(count) events are due").print(for: arguments)
        let states = try database.perform { try $0.receiverStates() }
        for state in states where state.stoppedAt != nil && arguments.value("--receiver") ?? state.name == state.name {
            StandardStream.error.line(
                "\(state.name) has answered 410 and gets no events: to send to it again, gatehouse events resume \(state.name)"
            )
        }
        return count == 0 ? .no : .done
    }
}

struct EventsDiscardCommand: Command {
    let words = ["events", "discard"]
    let summary = "Delete dead letters, which the receivers will then never get."
    let discussion = """
        Reads DATABASE_URL. Only dead letters are deleted: those with these ids, or those that --dead, --receiver or --user
        select. Let the receiver read its users once instead (GET /users). Exits 1 if there is no such dead letter.
        """
    let repeatedParameter: String? = "ID"
    let options = EventSelection.options + [.json]

    func run(_ arguments: Arguments) throws(CommandError) -> ExitStatus {
        let count = try EventSelection.apply(arguments, in: try OperatorDatabase()) { try $0.discard($1) }
        Report(json: ["events": .integer(Int64(count))], text: "\(count) dead letters are deleted").print(
            for: arguments)
        return count == 0 ? .no : .done
    }
}

extension QueuedEvent {
    static let columns = ["NUMBER", "ID", "RECEIVER", "TYPE", "USER", "MOMENT", "ATTEMPTS", "DUE", "FAULT"]

    /// The cells under `columns`.
    var row: [String?] {
        [
            "\(number)", id, receiver, event.type.rawValue, event.userID.text, event.moment.description, "\(attempts)",
            deadAt == nil ? dueAt?.description ?? "now" : "dead", fault,
        ]
    }

    /// Every field, one per line.
    var report: String {
        let lines: [[String?]] = [
            ["id", id], ["receiver", receiver], ["type", event.type.rawValue], ["user", event.userID.text],
            ["detail", event.detailText], ["moment", event.moment.description], ["attempts", "\(attempts)"],
            ["due", deadAt == nil ? dueAt?.description ?? "now" : nil],
            ["given up", deadAt == nil ? expiresAt?.description : nil],
            ["dead since", deadAt?.description], ["fault", fault],
        ]
        return Table(lines).text
    }

    var json: JSONValue {
        [
            "number": .integer(number), "id": .string(id), "receiver": .string(receiver),
            "type": .string(event.type.rawValue), "userId": .string(event.userID.text),
            "detail": JSONValue(event.detailText), "moment": .string(event.moment.description),
            "attempts": .integer(attempts), "dueAt": JSONValue(dueAt?.description),
            "expiresAt": JSONValue(expiresAt?.description), "deadAt": JSONValue(deadAt?.description),
            "fault": JSONValue(fault),
        ]
    }
}

extension UserEvent {
    /// What the event says besides its type and its user.
    fileprivate var detailText: String? {
        switch content {
        case .created(let provider), .linked(let provider), .unlinked(let provider): provider.rawValue
        case .updated(let names): names.joined(separator: " ")
        case .deleted(let user): user.map { "joined \($0.text)" }
        case .disabled, .enabled: nil
        case .sessionRevoked(let session, let reason): "\(session.text) \(reason.rawValue)"
        case .deviceAdded(let session, let provider): "\(session.text) \(provider.rawValue)"
        }
    }
}

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
        let found = try database.perform { administration in try administration.events(query) }
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
        let events = try OperatorDatabase().perform { administration in try administration.events(query) }
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
        tries for three days. Exits 1 if there is no such event.
        """
    let repeatedParameter: String? = "ID"
    let options = EventSelection.options + [.json]

    func run(_ arguments: Arguments) throws(CommandError) -> ExitStatus {
        let database = try OperatorDatabase()
        let query = try EventSelection.query(arguments, in: database, limit: Self.batch)
        let ids = arguments.positional
        guard !ids.isEmpty || query != EventQuery(limit: Self.batch) else {
            throw CommandError(.usage, "give ids of events, or --dead, --receiver or --user")
        }
        var count = 0
        if ids.isEmpty { count = try retry(query, in: database) }
        for id in ids {
            var single = query
            single.id = id
            count += try retry(single, in: database)
        }
        Report(json: ["events": .integer(Int64(count))], text: "\(count) events are due").print(for: arguments)
        return count == 0 ? .no : .done
    }

    private static let batch = 1000

    /// In steps, so that no request waits for long.
    private func retry(_ query: EventQuery, in database: OperatorDatabase) throws(CommandError) -> Int {
        var (query, count) = (query, 0)
        while true {
            let step = query
            let events = try database.perform { administration in try administration.events(step) }
            guard let last = events.last else { return count }
            count += try database.perform { administration in try administration.retry(step) }
            query.after = last.number
        }
    }
}

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

/// The options that select events.
private enum EventSelection {
    static let options = [
        Option(name: "--dead", help: "only dead letters"),
        Option(name: "--receiver", value: "NAME", help: "only events for this receiver"),
        Option(name: "--user", value: "USER", help: "only events of this user: an id or an email address"),
    ]

    static func query(
        _ arguments: Arguments, in database: OperatorDatabase, limit: Int
    ) throws(CommandError) -> EventQuery {
        var query = EventQuery(
            receiver: arguments.value("--receiver"), onlyDead: arguments.has("--dead"), limit: limit)
        if let name = arguments.value("--user") { query.userID = try database.user(named: name).user.id }
        return query
    }

    /// As they were given.
    static func words(of arguments: Arguments) -> [String] {
        (arguments.has("--dead") ? ["--dead"] : [])
            + ["--receiver", "--user"].flatMap { name in arguments.value(name).map { [name, $0] } ?? [] }
    }
}

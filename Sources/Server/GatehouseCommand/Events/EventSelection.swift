import CommandLineTool
import Gatehouse

/// The options that select events.
enum EventSelection {
    static let options = [
        Option(name: "--dead", help: "only dead letters"),
        Option(name: "--receiver", value: "NAME", help: "only events for this receiver"),
        Option(name: "--user", value: "USER", help: "only events of this user: an id or an email address"),
    ]

    static func query(
        _ arguments: Arguments, in database: OperatorDatabase, limit: Int
    ) throws(CommandError) -> EventQuery {
        if let name = arguments.value("--receiver") { try requireReceiver(name, in: database) }
        var query = EventQuery(
            receiver: arguments.value("--receiver"), onlyDead: arguments.has("--dead"), limit: limit)
        if let name = arguments.value("--user") { query.userID = try database.user(named: name).user.id }
        return query
    }

    /// A misspelt name would look like one for which nothing waits.
    private static func requireReceiver(_ name: String, in database: OperatorDatabase) throws(CommandError) {
        let states = try database.perform { try $0.receiverStates() }
        guard !states.contains(where: { $0.name == name }) else { return }
        throw CommandError(.no, "no receiver has the name \(name.printable): see gatehouse events receivers")
    }

    private static let batch = 1000

    /// Changes the selected events in steps, so that no request waits for long. Returns how many.
    static func apply(
        _ arguments: Arguments, in database: OperatorDatabase,
        _ change: @escaping (Administration, EventQuery) throws -> Int
    ) throws(CommandError) -> Int {
        let query = try query(arguments, in: database, limit: batch)
        let ids = arguments.positional
        guard !ids.isEmpty || query != EventQuery(limit: batch) else {
            throw CommandError(.usage, "give ids of events, or --dead, --receiver or --user")
        }
        guard !ids.isEmpty else { return try applyInSteps(query, in: database, change) }
        var count = 0
        for id in ids {
            var single = query
            single.id = id
            count += try applyInSteps(single, in: database, change)
        }
        return count
    }

    private static func applyInSteps(
        _ query: EventQuery, in database: OperatorDatabase,
        _ change: @escaping (Administration, EventQuery) throws -> Int
    ) throws(CommandError) -> Int {
        var (query, count) = (query, 0)
        while true {
            let step = query
            guard let last = try database.perform({ try $0.events(step) }).last else { return count }
            count += try database.perform { try change($0, step) }
            query.after = last.number
        }
    }

    /// As they were given.
    static func words(of arguments: Arguments) -> [String] {
        (arguments.has("--dead") ? ["--dead"] : [])
            + ["--receiver", "--user"].flatMap { name in arguments.value(name).map { [name, $0] } ?? [] }
    }
}

import Gatehouse
import JSON

struct SessionsRevokeCommand: Command {
    let words = ["sessions", "revoke"]
    let summary = "End sessions by their ids, or all of a user's."
    let discussion = """
        Reads DATABASE_URL. A running server refuses their tokens from the next request on. Exits 0 also where a session had
        ended already, 1 where there is none of an id; the others have been ended then.
        """
    let furtherArguments: String? = "SESSION"
    let options = [
        Option(name: "--user", value: "USER", help: "all sessions of this user: an id or an address"), .json,
    ]

    func run(_ input: Input) throws(CommandFault) -> ExitStatus {
        guard input.arguments.isEmpty == input.has("--user") else {
            throw CommandFault(.usage, "say which: SESSION… or --user USER, and not both")
        }
        let office = try Office()
        if let name = input.value("--user") { return try revokeAll(of: name, office, input) }
        let outcomes = try input.arguments.map { id throws(CommandFault) in
            SessionOutcome(
                id: id,
                wasAlive: try office.ask { steward throws(StoreFailure) in try steward.revoke(SessionID(id)) })
        }
        Report(
            json: ["sessions": .array(outcomes.map(\.json))], text: outcomes.map(\.text).joined(separator: "\n")
        ).print(for: input)
        return outcomes.allSatisfy(\.isKnown) ? .done : .no
    }

    private func revokeAll(of name: String, _ office: Office, _ input: Input) throws(CommandFault) -> ExitStatus {
        let user = try office.user(called: name).user.id
        let count = try office.ask { steward throws(StoreFailure) in try steward.revokeSessions(of: user) }
        Report(
            json: ["userId": .string(user.text), "revoked": .integer(Int64(count))],
            text: "\(user.text): \(count == 0 ? "no session was alive" : "\(count) ended")"
        ).print(for: input)
        return .done
    }
}

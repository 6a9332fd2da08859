import Gatehouse
import JSON

struct AuditCommand: Command {
    let words = ["audit"]
    let summary = "Show what has happened to accounts, in order of time."
    let discussion = """
        Reads DATABASE_URL. Shows the latest so many of what was asked for; COUNT tells how many refusals alike a line stands
        for. KIND is one of these:

          \(AuditEvent.Kind.allCases.map(\.rawValue).joined(separator: "\n  "))

        TIME is so long ago, 30s, 15m, 12h or 30d, or a moment in UTC, 2026-11-21 or 2026-11-21T10:00:00Z.
        """
    let options = [
        Option(name: "--user", value: "USER", help: "only what happened to this user: an id or an address"),
        Option(name: "--kind", value: "KIND", help: "only what is of this kind"),
        Option(name: "--since", value: "TIME", help: "only what is no older: 1h, 30d, or a date in UTC"),
        Option(name: "--limit", value: "N", help: "how many (100)"),
        .json,
    ]

    func run(_ input: Input) throws(CommandFault) -> ExitStatus {
        var query = AuditQuery(
            kind: try input.choice("--kind", among: AuditEvent.Kind.self), since: try input.moment("--since"),
            limit: try input.limit(default: 100))
        let office = try Office()
        if let name = input.value("--user") { query.userID = try office.user(called: name).user.id }
        let events = try office.ask { steward throws(StoreFailure) in try steward.auditEvents(query) }
        Report(
            json: ["events": .array(events.map(\.json))],
            text: Table(events.map(\.row), under: AuditEvent.columns).text
        ).print(for: input)
        return .done
    }
}

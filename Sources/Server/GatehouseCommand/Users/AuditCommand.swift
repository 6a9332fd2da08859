import CommandLineTool
import Gatehouse
import GatehouseServer
import JSON

struct AuditCommand: Command {
    let words = ["audit"]
    let summary = "Show the audit trail, oldest event first."
    let discussion = """
        Reads DATABASE_URL. Shows the latest events that match, --limit of them. COUNT is the number of equal refusals that a
        line stands for. KIND is one of these:

          \(AuditEntry.Kind.allCases.map(\.rawValue).joined(separator: "\n  "))

        TIME is an age, 30s, 15m, 12h or 30d, or a UTC time, 2026-11-21 or 2026-11-21T10:00:00Z.
        """
    let options = [
        Option(name: "--user", value: "USER", help: "only events of this user: an id or an email address"),
        Option(name: "--kind", value: "KIND", help: "only events of this kind"),
        Option(name: "--since", value: "TIME", help: "only events since then: 1h, 30d, or a date in UTC"),
        Option(name: "--limit", value: "N", help: "how many events (100)"),
        .json,
    ]

    func run(_ arguments: Arguments) throws(CommandError) -> ExitStatus {
        var query = AuditQuery(
            kind: try arguments.choice("--kind", among: AuditEntry.Kind.self), since: try since(arguments),
            limit: try arguments.limit(default: 100))
        let database = try OperatorDatabase()
        if let name = arguments.value("--user") { query.userID = try database.user(named: name).user.id }
        let events = try database.perform { try $0.auditEvents(query) }
        Report(
            json: ["events": .array(events.map(\.json))],
            text: Table(events.map(\.row), under: AuditEntry.columns).text
        ).print(for: arguments)
        return .done
    }

    /// An age in the form of the settings, or a date.
    private func since(_ arguments: Arguments) throws(CommandError) -> Timestamp? {
        guard let text = arguments.value("--since") else { return nil }
        if let age = Duration(setting: text) { return Platform.system.now() - age }
        if let moment = Timestamp(written: text) { return moment }
        let forms = "30s, 15m, 12h or 30d ago, or a UTC time such as 2026-11-21 or 2026-11-21T10:00:00Z"
        throw CommandError(.usage, "--since must be a time: \(forms)")
    }
}

extension AuditEntry {
    static let columns = [
        "MOMENT", "KIND", "ACTOR", "USER", "SESSION", "PROVIDER", "ADDRESS", "DETAIL", "COUNT", "OPERATOR",
    ]

    /// The cells under `columns`.
    var row: [String?] {
        [
            moment.description, kind.rawValue, actor.rawValue, userID?.text, sessionID?.text, provider?.rawValue,
            device.address, detail, "×\(count)", operatorName,
        ]
    }

    var json: JSONValue {
        [
            "moment": .string(moment.description), "kind": .string(kind.rawValue), "actor": .string(actor.rawValue),
            "userId": JSONValue(userID?.text), "sessionId": JSONValue(sessionID?.text),
            "provider": JSONValue(provider?.rawValue), "address": JSONValue(device.address),
            "device": JSONValue(device.userAgent), "detail": JSONValue(detail), "count": .integer(count),
            "operator": JSONValue(operatorName),
        ]
    }
}

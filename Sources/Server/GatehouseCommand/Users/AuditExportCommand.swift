import CommandLineTool
import FileSystem
import Gatehouse
import JSON

struct AuditExportCommand: Command {
    let words = ["audit", "export"]
    let summary = "Write the audit trail as JSON lines, for a collector of logs."
    let discussion = """
        Reads DATABASE_URL. Writes one line for each entry, in the order in which entries were added, with its cursor. A
        collector keeps the cursor of the last line that it has stored, and passes it as --since at its next run: then it gets
        each entry once. Waits for some seconds if another transaction may still add an entry before the last one.
        """
    let options = [
        Option(name: "--since", value: "CURSOR", help: "only entries after this one (0)"),
        Option(name: "--limit", value: "N", help: "how many entries (all)"),
    ]

    private static let pageLength = 1000

    func run(_ arguments: Arguments) throws(CommandError) -> ExitStatus {
        var cursor: Int64 = 0
        if let text = arguments.value("--since") {
            guard let number = Int64(text), number >= 0 else {
                throw CommandError(.usage, "--since must be the cursor of a line, or 0")
            }
            cursor = number
        }
        var left = arguments.value("--limit") == nil ? Int.max : try arguments.limit(default: 1)
        let database = try OperatorDatabase()
        let last = try database.perform { try $0.lastSettledEntry() }
        while left > 0 {
            let limit = min(left, Self.pageLength)
            let page = try database.perform { administration in
                try administration.auditEntries(after: cursor, through: last, limit: limit)
            }
            for entry in page { StandardStream.output.line(String(decoding: entry.exported.bytes, as: UTF8.self)) }
            guard let end = page.last?.number, page.count == limit else { break }
            cursor = end
            left -= page.count
        }
        return .done
    }
}

extension NumberedEntry {
    /// What `audit --json` writes, and what only acts of support have.
    fileprivate var exported: JSONObject {
        var json = entry.json.object ?? [:]
        json["cursor"] = .integer(number)
        json["reason"] = JSONValue(reason)
        json["requestId"] = JSONValue(requestID)
        return json
    }
}

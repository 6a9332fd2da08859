import Gatehouse
import GatehouseStore
import JSON

extension Backup {
    /// - Parameter removed: the names of older ones that have gone.
    func report(removed: [String]) -> Report {
        var lines: [[String?]] = [
            ["path", path], ["bytes", "\(byteCount)"], ["users", "\(summary.users)"],
            ["sessions", "\(summary.sessions)"], ["latest", summary.latest?.description],
        ]
        lines += removed.map { ["removed", $0] }
        let json: JSONValue = [
            "path": .string(path), "bytes": .integer(byteCount), "users": .integer(summary.users),
            "sessions": .integer(summary.sessions), "latest": JSONValue(summary.latest?.description),
            "schema": .integer(Int64(summary.schema)), "removed": .array(removed.map(JSONValue.string)),
        ]
        return Report(json: json, text: Table(lines).text)
    }
}

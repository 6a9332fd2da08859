import JSON
import Processes

/// The document of `gatehouse apple verify --json` or `gatehouse dpop verify --json`. If the command could not verify, it has
/// no checks, and the cause as its `detail`.
enum VerifyReport {
    static func json(_ outcome: Subprocess.Outcome) -> JSONObject {
        if let document = (try? JSONValue(parsing: Array(outcome.output.utf8)))?.object { return document }
        let cause = String(outcome.errorOutput.prefix { $0 != "\n" })
        return ["ok": false, "checks": [], "reason": .null, "detail": .string(cause), "claims": .null]
    }
}

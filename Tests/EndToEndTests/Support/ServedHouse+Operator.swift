import JSON
import TestSupport

extension ServedHouse {
    /// What an operator does beside the server: the text that they read.
    @discardableResult
    func operate(_ words: String...) throws -> String {
        let outcome = try Shell.outcome(
            of: [Executable.gatehouse] + words, environment: ["DATABASE_URL": "sqlite:" + database])
        guard outcome.status == 0 else {
            throw Spawn.Failure(description: "\(words) ended with \(outcome.status): \(outcome.complaint)")
        }
        return outcome.text
    }

    /// The audit trail as a script sees it.
    func auditTrail() throws -> [JSONObject] {
        let document = try JSONValue(parsing: operate("audit", "--json", "--limit", "1000")).object
        return document?["events"]?.array?.compactMap(\.object) ?? []
    }

    /// Kills the process and starts another one on the same database.
    func dieAndComeBack() throws {
        process.signal(9)
        _ = process.wait()
        try restart()
    }
}

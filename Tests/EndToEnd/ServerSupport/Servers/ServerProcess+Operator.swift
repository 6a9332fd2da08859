import JSON
import TestSupport

extension ServerProcess {
    /// Runs `gatehouse` on the server's database and returns its output.
    @discardableResult
    func runCommand(_ words: String...) throws -> String {
        let outcome = try Shell.outcome(
            of: [Executable.gatehouse] + words, environment: ["DATABASE_URL": databaseURL])
        guard outcome.status == 0 else {
            throw Spawn.Failure(description: "\(words) ended with \(outcome.status): \(outcome.errorOutput)")
        }
        return outcome.text
    }

    /// The audit trail in JSON.
    func auditTrail() throws -> [JSONObject] {
        let document = try JSONValue(parsing: runCommand("audit", "--json", "--limit", "1000")).object
        return document?["events"]?.array?.compactMap(\.object) ?? []
    }

    /// Kills the server and starts another one on the same database.
    func killAndRestart() throws {
        process.signal(9)
        _ = process.wait()
        try restart()
    }
}

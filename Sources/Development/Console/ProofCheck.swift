import DevelopmentHTTP
import FileSystem
import JSON
import POSIX

/// Runs `gatehouse dpop verify` for a request with a proof, so that the page shows the checks of the command.
struct ProofCheck: Sendable {
    private let runner: VerifyRunner

    init(_ settings: ConsoleSettings) throws(POSIXError) {
        runner = try VerifyRunner(settings)
    }

    /// - Parameter request: `proof`, and what it must be about as far as the page knows it: `method`, `url`, `accessToken`, and
    ///   `jkt`, the thumbprint of the session's key.
    func verify(_ request: JSONObject) throws(HTTPRefusal) -> JSONObject {
        do throws(POSIXError) { return try run(request) } catch {
            throw .failed("gatehouse dpop verify could not be run: \(error)")
        }
    }

    private func run(_ request: JSONObject) throws(POSIXError) -> JSONObject {
        let files = (proof: runner.folder + "/proof", accessToken: runner.folder + "/access-token")
        let outcome = try runner.run(removing: [files.proof, files.accessToken]) { () throws(POSIXError) in
            var words = ["dpop", "verify", "--json"]
            for (option, member) in [("--method", "method"), ("--url", "url"), ("--jkt", "jkt")] {
                if let value = request[member]?.string { words.append("\(option)=\(value)") }
            }
            if let token = request["accessToken"]?.string {
                try File.replace(files.accessToken, with: Array(token.utf8))
                words.append("--access-token=\(files.accessToken)")
            }
            try File.replace(files.proof, with: Array((request["proof"]?.string ?? "").utf8))
            return words + [files.proof]
        }
        return VerifyReport.json(outcome)
    }
}

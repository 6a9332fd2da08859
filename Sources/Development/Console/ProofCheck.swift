import DevelopmentHTTP
import FileSystem
import JSON
import POSIX
import Processes
import Synchronization

/// Runs `gatehouse dpop verify` for a request with a proof, so that the page shows the checks of the command.
struct ProofCheck: Sendable {
    private let folder: String
    private let program: Subprocess
    /// The files have one name each, so one check runs at a time.
    private let turn = Turn()

    private final class Turn: Sendable {
        let lock = Mutex(())
    }

    init(_ settings: ConsoleSettings) throws(POSIXError) {
        folder = settings.data + "/console"
        program = .inheritingEnvironment(settings.gatehouse)
        try File.makeDirectory(folder)
    }

    /// - Parameter request: `proof`, and what it must be about as far as the page knows it: `method`, `url`, `accessToken`, and
    ///   `jkt`, the thumbprint of the session's key.
    func verify(_ request: JSONObject) throws(HTTPRefusal) -> JSONObject {
        try turn.lock.withLock { _ throws(HTTPRefusal) in
            do throws(POSIXError) { return try run(request) } catch {
                throw .failed("gatehouse dpop verify could not be run: \(error)")
            }
        }
    }

    /// Proof and token are passed in files: other users can read the arguments of a process.
    private func run(_ request: JSONObject) throws(POSIXError) -> JSONObject {
        let files = (proof: folder + "/proof", accessToken: folder + "/access-token")
        var words = ["dpop", "verify", "--json"]
        for (option, member) in [("--method", "method"), ("--url", "url"), ("--jkt", "jkt")] {
            if let value = request[member]?.string { words.append("\(option)=\(value)") }
        }
        defer {
            try? File.remove(files.proof)
            try? File.remove(files.accessToken)
        }
        if let token = request["accessToken"]?.string {
            try File.replace(files.accessToken, with: Array(token.utf8))
            words.append("--access-token=\(files.accessToken)")
        }
        try File.replace(files.proof, with: Array((request["proof"]?.string ?? "").utf8))
        return VerifyReport.json(try program.run(words + [files.proof]))
    }
}

import Curl
import DevelopmentHTTP
import FileSystem
import JSON
import POSIX
import Processes
import Synchronization

/// Runs `gatehouse apple verify` for a refused login, so that the page shows the checks of the command.
struct TokenCheck: Sendable {
    private let keys: String
    private let runner: VerifyRunner

    init(_ settings: ConsoleSettings) throws(POSIXError) {
        keys = settings.keys
        runner = try VerifyRunner(settings)
    }

    /// - Parameter body: the body of the login.
    func verify(_ body: [UInt8]) throws(HTTPRefusal) -> JSONObject {
        let keySet = try fetchKeys()
        do throws(POSIXError) { return try run(body, keySet) } catch {
            throw .failed("gatehouse apple verify could not be run: \(error)")
        }
    }

    private func fetchKeys() throws(HTTPRefusal) -> [UInt8] {
        let answer: HTTPResponse
        do throws(HTTPFault) { answer = try HTTPClient().get(keys) } catch {
            throw .failed("Apple's keys could not be fetched from \(keys): \(error)")
        }
        guard answer.status == 200 else { throw .failed("\(keys) answered \(answer.status)") }
        return answer.body
    }

    private func run(_ body: [UInt8], _ keySet: [UInt8]) throws(POSIXError) -> JSONObject {
        let files = (keys: runner.folder + "/keys.json", login: runner.folder + "/login.json")
        let outcome = try runner.run(removing: [files.login]) { () throws(POSIXError) in
            try File.replace(files.keys, with: keySet)
            try File.replace(files.login, with: body)
            return ["apple", "verify", "--json", "--jwks", files.keys, files.login]
        }
        return VerifyReport.json(outcome)
    }
}

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

/// Runs `gatehouse apple verify` and `gatehouse dpop verify`. They get tokens in files of one folder, because other users can
/// read the arguments of a process. The files have fixed names, so a runner runs one command at a time.
final class VerifyRunner: Sendable {
    let folder: String
    private let program: Subprocess
    private let turn = Mutex(())

    init(_ settings: ConsoleSettings) throws(POSIXError) {
        folder = settings.data + "/console"
        program = .inheritingEnvironment(settings.gatehouse)
        try File.makeDirectory(folder)
    }

    /// - Parameter arguments: writes the files, and returns the words of the command.
    func run(
        removing files: [String], _ arguments: () throws(POSIXError) -> [String]
    ) throws(POSIXError) -> Subprocess.Outcome {
        try turn.withLock { _ throws(POSIXError) in
            defer { for file in files { try? File.remove(file) } }
            return try program.run(try arguments())
        }
    }
}

/// The document of `gatehouse apple verify --json` or `gatehouse dpop verify --json`. If the command could not verify, it has
/// no checks, and the cause as its `detail`.
enum VerifyReport {
    static func json(_ outcome: Subprocess.Outcome) -> JSONObject {
        if let document = (try? JSONValue(parsing: Array(outcome.output.utf8)))?.object { return document }
        let cause = String(outcome.errorOutput.prefix { $0 != "\n" })
        return ["ok": false, "checks": [], "reason": .null, "detail": .string(cause), "claims": .null]
    }
}

import Curl
import DevelopmentHTTP
import FileSystem
import JSON
import POSIX

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

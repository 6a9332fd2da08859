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
    private let folder: String
    private let program: Subprocess
    /// The files have one name each, so one check runs at a time.
    private let turn = Turn()

    private final class Turn: Sendable {
        let lock = Mutex(())
    }

    init(_ settings: ConsoleSettings) throws(POSIXError) {
        keys = settings.keys
        folder = settings.data + "/console"
        program = .inheritingEnvironment(settings.gatehouse)
        try File.makeDirectory(folder)
    }

    /// - Parameter body: the body of the login.
    func verify(_ body: [UInt8]) throws(HTTPRefusal) -> JSONObject {
        try turn.lock.withLock { _ throws(HTTPRefusal) in
            let keySet = try fetchKeys()
            do throws(POSIXError) {
                return try run(body, keySet)
            } catch {
                throw .failed("gatehouse apple verify could not be run: \(error)")
            }
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

    /// The token is passed in a file: other users can read the arguments of a process.
    private func run(_ body: [UInt8], _ keySet: [UInt8]) throws(POSIXError) -> JSONObject {
        let files = (keys: folder + "/keys.json", login: folder + "/login.json")
        try File.replace(files.keys, with: keySet)
        try File.replace(files.login, with: body)
        defer { try? File.remove(files.login) }
        let outcome = try program.run(["apple", "verify", "--json", "--jwks", files.keys, files.login])
        return VerifyReport.json(outcome)
    }
}

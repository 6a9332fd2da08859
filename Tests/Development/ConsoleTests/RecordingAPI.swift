import DevelopmentHTTP
import JSON
import POSIX
import Sockets
import Synchronization
import TestSupport

/// An API that records its requests. It answers each with 200, and closes the connection at `/api/closes`. A server
/// never ends, so all tests share one.
final class RecordingAPI: Sendable {
    static let shared = Result { () throws in try RecordingAPI() }
    /// A header field that the console passes on. It names the test.
    static let tagField = "if-none-match"

    private let folder: TemporaryFolder
    private let received = Mutex<[HTTPRequest]>([])

    var path: String { folder.file("api.sock") }

    private init() throws {
        folder = try TemporaryFolder()
        let listener = try Listener.unix(path: folder.file("api.sock"))
        let server = HTTPServer("api", on: listener, advice: "") { [self] request in answer(request) }
        _ = try Thread.spawn(name: "api") { try? server.run() }
    }

    private func answer(_ request: HTTPRequest) -> HTTPAction {
        received.withLock { $0.append(request) }
        guard request.path != "/api/closes" else { return .silence(seconds: 0) }
        return .reply(HTTPReply.ok(["path": .string(request.target)]).adding("X-Request-Id", "id-of-the-api"))
    }

    func requests(tagged tag: String) -> [HTTPRequest] {
        received.withLock { $0.filter { $0[Self.tagField] == tag } }
    }
}

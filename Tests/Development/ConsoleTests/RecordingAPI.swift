import DevelopmentHTTP
import JSON
import POSIX
import Sockets
import Synchronization
import TestSupport

/// An API that records its requests. It answers each with 200, redirects at `/api/redirects`, and closes the connection at
/// `/api/closes`. At a port it is a stand-in for the fake Apple. A server never ends, so all tests share one.
final class RecordingAPI: Sendable {
    static let shared = Result { () throws in try RecordingAPI() }
    /// A header field that the console passes on. It names the test.
    static let tagField = "if-none-match"

    private let folder: TemporaryFolder
    private let received = Mutex<[HTTPRequest]>([])

    var path: String { folder.file("api.sock") }
    let port: UInt16

    private init() throws {
        folder = try TemporaryFolder()
        let listener = try Listener.unix(path: folder.file("api.sock"))
        let standIn = try Listener.tcp(host: "127.0.0.1", port: 0)
        port = standIn.port ?? 0
        let servers = [
            HTTPServer("api", on: listener, advice: "") { [self] request in answer(request) },
            HTTPServer("stand-in", on: standIn, advice: "") { [self] request in answer(request) },
        ]
        for server in servers { _ = try Thread.spawn(name: "server") { try? server.run() } }
    }

    private func answer(_ request: HTTPRequest) -> HTTPAction {
        received.withLock { $0.append(request) }
        guard request.path != "/api/closes" else { return .silence(seconds: 0) }
        if request.path == "/api/redirects" { return .reply(Self.redirect) }
        return .reply(HTTPReply.ok(["path": .string(request.target)]).adding("X-Request-Id", "id-of-the-api"))
    }

    private static let redirect = HTTPReply(status: "303 See Other", body: [])
        .adding("Location", "https://evil.example/api/next")
        .adding("Set-Cookie", "__Host-a=b; Path=/; Secure; HttpOnly").adding("Set-Cookie", "c=; Max-Age=0")

    /// Those whose query is this one.
    func requests(withQuery query: String) -> [HTTPRequest] {
        received.withLock { $0.filter { $0.target.hasSuffix("?" + query) } }
    }

    func requests(tagged tag: String) -> [HTTPRequest] {
        received.withLock { $0.filter { $0[Self.tagField] == tag } }
    }
}

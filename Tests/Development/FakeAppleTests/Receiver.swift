import DevelopmentHTTP
import JSON
import POSIX
import Sockets
import Synchronization

@testable import FakeApple

/// A developer's server that records every notification and refuses it.
final class Receiver: Sendable {
    let url: String
    private let received: Received

    private final class Received: Sendable {
        let requests = Mutex<[HTTPRequest]>([])
    }

    init() throws {
        let received = Received()
        let listener = try Listener.tcp(host: "127.0.0.1", port: 0)
        let server = HTTPServer("receiver", on: listener, advice: "") { request in
            received.requests.withLock { $0.append(request) }
            return .reply(HTTPReply(status: "401 Unauthorized", json: ["code": "invalid"]))
        }
        _ = try Thread.spawn(name: "receiver") { try? server.run() }
        url = "http://127.0.0.1:\(server.port)/notifications"
        self.received = received
    }

    var requests: [HTTPRequest] { received.requests.withLock { $0 } }
}

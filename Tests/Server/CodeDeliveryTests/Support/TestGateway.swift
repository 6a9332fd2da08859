import DevelopmentHTTP
import POSIX
import Sockets
import Synchronization

/// An SMS gateway on 127.0.0.1 that gives the same answer to every request.
final class TestGateway: Sendable {
    static let secret = "whsec_MDEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3"
    static let nextSecret = "whsec_YWJjZGVmZ2hpamtsbW5vcHFyc3R1dnd4"

    let port: UInt16
    private let received: Received

    private final class Received: Sendable {
        let requests = Mutex<[HTTPRequest]>([])
    }

    init(_ action: HTTPAction) throws {
        let listener = try Listener.tcp(host: "127.0.0.1", port: 0)
        port = listener.port ?? 0
        let received = Received()
        self.received = received
        let server = HTTPServer("gateway", on: listener, advice: "use 127.0.0.1") { request in
            received.requests.withLock { $0.append(request) }
            return action
        }
        _ = try Thread.spawn(name: "gateway") { try? server.run() }
    }

    var url: String { "http://127.0.0.1:\(port)/sms?key=1" }

    var requests: [HTTPRequest] { received.requests.withLock { $0 } }
}

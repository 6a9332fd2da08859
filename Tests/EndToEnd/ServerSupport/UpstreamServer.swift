import POSIX
import Sockets
import Synchronization

/// A service behind the guard: a minimal HTTP/1.1 server with one request per connection.
final class UpstreamServer: Sendable {
    let port: UInt16
    private let listener: Listener
    private let respond: @Sendable (UpstreamRequest) -> UpstreamResponse
    private let arrived = Mutex<[UpstreamRequest]>([])

    init(respond: @escaping @Sendable (UpstreamRequest) -> UpstreamResponse) throws {
        let listener = try Listener.tcp(host: "127.0.0.1", port: 0)
        port = listener.port ?? 0
        self.listener = listener
        self.respond = respond
        _ = try Thread.spawn(name: "upstream") { [weak self] in
            while let upstream = self { upstream.serveOne() }
        }
    }

    /// Answers each request with the request itself.
    static func echoing() throws -> UpstreamServer {
        try UpstreamServer { UpstreamResponse(body: $0.bytes) }
    }

    /// The requests that were received for this target.
    func requests(at target: String) -> [UpstreamRequest] {
        arrived.withLock { $0.filter { $0.target == target } }
    }

    private func serveOne() {
        guard listener.descriptor.waitUntilReadable(milliseconds: 200), let connection = try? listener.accept() else {
            return
        }
        var received: [UInt8] = []
        var piece = [UInt8](repeating: 0, count: 65_536)
        while connection.waitUntilReadable(milliseconds: 2000),
            case .moved(let count) = connection.receive(into: &piece)
        {
            received += piece[..<count]
            guard let request = UpstreamRequest(whole: received) else { continue }
            arrived.withLock { $0.append(request) }
            let response = respond(request).bytes
            var sent = 0
            while sent < response.count, case .moved(let count) = connection.send(response, from: sent) {
                sent += count
            }
            connection.shutDownWriting()
            _ = connection.waitUntilReadable(milliseconds: 2000)
            return
        }
    }
}

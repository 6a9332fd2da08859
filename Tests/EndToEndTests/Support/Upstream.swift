import POSIX
import Synchronization

/// A service behind the guard: as much of an HTTP/1.1 server as nginx needs of one, with one request a connection.
final class Upstream: Sendable {
    let port: UInt16
    private let listener: Listener
    private let answer: @Sendable (UpstreamRequest) -> UpstreamReply
    private let arrived = Mutex<[UpstreamRequest]>([])

    init(answer: @escaping @Sendable (UpstreamRequest) -> UpstreamReply) throws {
        let listener = try Listener.tcp(host: "127.0.0.1", port: 0)
        port = listener.port ?? 0
        self.listener = listener
        self.answer = answer
        _ = try Thread.spawn(name: "upstream") { [weak self] in
            while let upstream = self { upstream.serveOne() }
        }
    }

    /// Answers every request with the request itself, so that a test sees what arrived.
    static func echoing() throws -> Upstream {
        try Upstream { UpstreamReply(body: $0.bytes) }
    }

    /// What has been asked for at this target.
    func arrivals(at target: String) -> [UpstreamRequest] {
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
            let reply = answer(request).bytes
            var sent = 0
            while sent < reply.count, case .moved(let count) = connection.send(reply, from: sent) { sent += count }
            connection.shutDownWriting()
            _ = connection.waitUntilReadable(milliseconds: 2000)
            return
        }
    }
}

import POSIX
import Sockets

/// A service behind the guard that keeps a connection open. It answers one request.
final class StreamingServer: Sendable {
    /// The connection to nginx.
    struct Peer: ~Copyable {
        fileprivate let connection: FileDescriptor

        func send(_ text: String) {
            let bytes = Array(text.utf8)
            var sent = 0
            while sent < bytes.count, case .moved(let count) = connection.send(bytes, from: sent) { sent += count }
        }

        /// What arrives until the condition holds, at most until the peer closes.
        func receive(after received: [UInt8] = [], until isWhole: ([UInt8]) -> Bool) -> [UInt8] {
            var received = received
            var piece = [UInt8](repeating: 0, count: 65_536)
            while !isWhole(received), connection.waitUntilReadable(milliseconds: 30_000),
                case .moved(let count) = connection.receive(into: &piece)
            {
                received += piece[..<count]
            }
            return received
        }
    }

    let port: UInt16

    /// - Parameter converse: gets the request, with the bytes behind its head.
    init(_ converse: @escaping @Sendable (UpstreamRequest, borrowing Peer) -> Void) throws {
        let listener = try Listener.tcp(host: "127.0.0.1", port: 0)
        port = listener.port ?? 0
        _ = try Thread.spawn(name: "streaming") {
            guard listener.descriptor.waitUntilReadable(milliseconds: 60_000),
                let connection = try? listener.accept()
            else { return }
            let peer = Peer(connection: connection)
            let head = peer.receive { UpstreamRequest(whole: $0) != nil }
            if let request = UpstreamRequest(whole: head) { converse(request, peer) }
            peer.connection.shutDownWriting()
        }
    }
}

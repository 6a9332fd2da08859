import Glibc
import POSIX
import Sockets
import TestSupport

/// Answers each request with the size of its body, or with status 500 if more bytes follow the request.
final class CountingFastCGIServer: Sendable {
    let port: UInt16
    private let listener: Listener
    private let closesAfterResponse: Bool

    /// - Parameter closesAfterResponse: closes the connection together with the response, although the web server wants
    ///   to keep it. nginx and Apache lose requests if the close arrives after the response.
    init(closesAfterResponse: Bool) throws {
        let listener = try Listener.tcp(host: "127.0.0.1", port: 0)
        port = listener.port ?? 0
        self.listener = listener
        self.closesAfterResponse = closesAfterResponse
        _ = try Thread.spawn(name: "counting") { [weak self] in
            while let server = self { server.acceptOne() }
        }
    }

    private func acceptOne() {
        guard listener.descriptor.waitUntilReadable(milliseconds: 200), let connection = try? listener.accept() else {
            return
        }
        let number = connection.release()
        let closes = closesAfterResponse
        _ = try? Thread.spawn(name: "counting") {
            Self.serve(FileDescriptor(takingOwnership: number), closesAfterResponse: closes)
        }
    }

    private static func serve(_ connection: consuming FileDescriptor, closesAfterResponse: Bool) {
        var (received, piece): ([UInt8], [UInt8]) = ([], Array(repeating: 0, count: 65_536))
        while connection.waitUntilReadable(milliseconds: 20_000),
            case .moved(let count) = connection.receive(into: &piece)
        {
            received += piece[..<count]
            guard let request = measure(received) else { continue }
            let reply = response(bodySize: request.bodySize, isAlone: request.end == received.count)
            // The FIN is in the same segment as the response, so the web server sees both at once.
            if closesAfterResponse { try? connection.setOption(TCP_CORK, level: Int32(IPPROTO_TCP), to: 1) }
            guard case .moved(reply.count) = connection.send(reply, from: 0), !closesAfterResponse else { return }
            received = []
        }
    }

    /// The end of the first request and the size of its body, or nil while the request is incomplete.
    private static func measure(_ bytes: [UInt8]) -> (end: Int, bodySize: Int)? {
        var (start, bodySize) = (0, 0)
        while bytes.count >= start + 8 {
            let (type, length) = (bytes[start + 1], Int(bytes[start + 4]) << 8 | Int(bytes[start + 5]))
            start += 8 + length + Int(bytes[start + 6])
            if type == 5 { bodySize += length }
            if type == 5, length == 0 { return start <= bytes.count ? (start, bodySize) : nil }
        }
        return nil
    }

    private static func response(bodySize: Int, isAlone: Bool) -> [UInt8] {
        let text = "Status: \(isAlone ? 200 : 500)\r\nContent-Type: text/plain\r\n\r\n\(bodySize)"
        return FastCGIWire.stream(6, Array(text.utf8)) + FastCGIWire.record(3, Array(repeating: 0, count: 8))
    }
}

import JSON
import POSIX
import Sockets
import Synchronization
import TestSupport

/// A stand-in for a failing node: it receives whole requests, and then does not answer, or answers 503.
final class FaultyNode: Sendable {
    enum Fault: Sendable {
        /// Closes the connection, like a node that is killed after it has executed the request.
        case noAnswer
        /// The answer of a node without a database.
        case unavailable
    }

    let port: UInt16
    private let listener: Listener
    private let fault: Fault
    private let received = Atomic(0)

    /// Number of requests that it has received.
    var requests: Int { received.load(ordering: .relaxed) }

    init(_ fault: Fault) throws {
        let listener = try Listener.tcp(host: "127.0.0.1", port: 0)
        port = listener.port ?? 0
        self.listener = listener
        self.fault = fault
        _ = try Thread.spawn(name: "faulty") { [weak self] in
            while let node = self { node.serveOne() }
        }
    }

    private func serveOne() {
        guard listener.descriptor.waitUntilReadable(milliseconds: 200), let connection = try? listener.accept() else {
            return
        }
        var (bytes, piece): ([UInt8], [UInt8]) = ([], Array(repeating: 0, count: 65_536))
        while connection.waitUntilReadable(milliseconds: 2000),
            case .moved(let count) = connection.receive(into: &piece)
        {
            bytes += piece[..<count]
            guard Self.isWhole(bytes) else { continue }
            received.add(1, ordering: .relaxed)
            if fault == .unavailable { _ = connection.send(Self.answer, from: 0) }
            return
        }
    }

    private static let answer: [UInt8] = {
        let document: JSONObject = [
            "type": "about:blank", "title": "Service Unavailable", "status": 503, "detail": "Try again later.",
            "code": "storage_unavailable", "requestId": "r",
        ]
        let head = """
            Status: 503\r\nContent-Type: application/problem+json\r\nCache-Control: no-store\r\n\
            Retry-After: 7\r\n\r\n
            """
        return FastCGIWire.stream(6, Array(head.utf8) + document.bytes)
            + FastCGIWire.record(3, Array(repeating: 0, count: 8))
    }()

    /// Whether the end of the standard input has arrived: an empty record of type 5.
    private static func isWhole(_ bytes: [UInt8]) -> Bool {
        var start = 0
        while bytes.count >= start + 8 {
            let length = Int(bytes[start + 4]) << 8 | Int(bytes[start + 5])
            if bytes[start + 1] == 5, length == 0 { return true }
            start += 8 + length + Int(bytes[start + 6])
        }
        return false
    }
}

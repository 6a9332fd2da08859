import Glibc
import POSIX
import TestSupport

/// A responder that answers each request with the size of its body, and with status 500 if bytes follow the request.
final class CountingResponder: Sendable {
    let port: UInt16
    private let listener: Listener
    private let closesAfterAnswer: Bool

    /// - Parameter closesAfterAnswer: closes a connection that the front wants to keep, together with the answer. nginx and
    ///   Apache lose requests if the end of the connection comes later than the answer, however little later.
    init(closesAfterAnswer: Bool) throws {
        let listener = try Listener.tcp(host: "127.0.0.1", port: 0)
        port = listener.port ?? 0
        self.listener = listener
        self.closesAfterAnswer = closesAfterAnswer
        _ = try Thread.spawn(name: "counting") { [weak self] in
            while let responder = self { responder.acceptOne() }
        }
    }

    private func acceptOne() {
        guard listener.descriptor.waitUntilReadable(milliseconds: 200), let connection = try? listener.accept() else {
            return
        }
        let number = connection.release()
        let closes = closesAfterAnswer
        _ = try? Thread.spawn(name: "counting") {
            Self.serve(FileDescriptor(takingOwnership: number), closesAfterAnswer: closes)
        }
    }

    private static func serve(_ connection: consuming FileDescriptor, closesAfterAnswer: Bool) {
        var (received, piece): ([UInt8], [UInt8]) = ([], Array(repeating: 0, count: 65_536))
        while connection.waitUntilReadable(milliseconds: 20_000),
            case .moved(let count) = connection.receive(into: &piece)
        {
            received += piece[..<count]
            guard let request = measure(received) else { continue }
            let answer = answer(bodySize: request.bodySize, isAlone: request.end == received.count)
            // Then the end of the connection comes in the same segment, so a front that has the answer knows of the end.
            if closesAfterAnswer { try? connection.setOption(TCP_CORK, level: Int32(IPPROTO_TCP), to: 1) }
            guard case .moved(answer.count) = connection.send(answer, from: 0), !closesAfterAnswer else { return }
            received = []
        }
    }

    /// Where the first request ends, and the size of its body; nil while it is not whole.
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

    private static func answer(bodySize: Int, isAlone: Bool) -> [UInt8] {
        let text = "Status: \(isAlone ? 200 : 500)\r\nContent-Type: text/plain\r\n\r\n\(bodySize)"
        return FastCGIWire.stream(6, Array(text.utf8)) + FastCGIWire.record(3, Array(repeating: 0, count: 8))
    }
}

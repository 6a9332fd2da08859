import POSIX
import Sockets

/// A server that accepts one request and sends a fixed answer.
final class SingleAnswerServer: Sendable {
    private let listener: Listener
    private let answer: [UInt8]
    private let received = Monitor<String?>(nil)

    convenience init(status: String, body: String) throws {
        try self.init(status: status) { _ in body }
    }

    /// - Parameter body: made with the address of the server.
    init(status: String, body: (_ address: String) -> String) throws {
        listener = try Listener.tcp(host: "127.0.0.1", port: 0)
        let body = body("http://127.0.0.1:\(listener.port ?? 0)")
        let head = "HTTP/1.1 \(status)\r\nContent-Length: \(body.utf8.count)\r\nConnection: close\r\n\r\n"
        answer = Array((head + body).utf8)
        _ = try Thread.spawn(name: "single-answer-server") { [self] in try? serve() }
    }

    var address: String { "http://127.0.0.1:\(listener.port ?? 0)" }

    /// The request, once it has been answered; nil if none arrives.
    var request: String? { received.wait(atMost: .seconds(10)) { $0 } }

    private func serve() throws {
        guard listener.descriptor.waitUntilReadable(milliseconds: 10_000), let connection = try listener.accept()
        else { return }
        var text = ""
        var piece = [UInt8](repeating: 0, count: 16_384)
        while !isComplete(text), connection.waitUntilReadable(milliseconds: 5000),
            case .moved(let count) = connection.receive(into: &piece)
        {
            text += String(decoding: piece[..<count], as: UTF8.self)
        }
        _ = connection.send(answer, from: 0)
        received.change { $0 = text }
    }

    private func isComplete(_ text: String) -> Bool {
        guard let end = text.firstRange(of: "\r\n\r\n") else { return false }
        let length = text.firstMatch(of: /Content-Length: (\d+)\r\n/).flatMap { Int($0.1) } ?? 0
        return length == text[end.upperBound...].utf8.count
    }
}

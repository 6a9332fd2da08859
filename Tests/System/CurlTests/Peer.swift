import POSIX
import Sockets
import Synchronization

/// A test server that sends the same bytes in response to every request.
final class Peer: Sendable {
    enum Manner: Sendable {
        case answer(String)
        /// Sends one byte at a time, with pauses.
        case drip(String, pauseMilliseconds: Int32)
        /// Sends the first text, and then the second one again and again until the client closes the connection.
        case endless(String, String)
        /// Reads the request and sends nothing.
        case hang
    }

    let port: UInt16
    private let manner: Manner
    private let heard = Mutex<[String]>([])
    private let sentCount = Mutex(0)

    init(_ manner: Manner) throws {
        let listener = try Listener.tcp(host: "127.0.0.1", port: 0)
        port = listener.port ?? 0
        self.manner = manner
        _ = try Thread.spawn(name: "peer") { [weak self] in
            // An accepted connection retains the peer, the listening socket does not. The thread ends with the process.
            while listener.descriptor.waitUntilReadable(milliseconds: -1), let connection = try? listener.accept() {
                self?.serve(connection)
            }
        }
    }

    /// 200 with a body.
    static func ok(_ body: String) -> Manner {
        .answer("HTTP/1.1 200 OK\r\nContent-Length: \(body.utf8.count)\r\n\r\n\(body)")
    }

    var url: String { "http://127.0.0.1:\(port)/path?query" }

    /// The received requests.
    var requests: [String] { heard.withLock { $0 } }

    /// How many bytes the kernel took of endless answers.
    var sentBytes: Int { sentCount.withLock { $0 } }

    private func serve(_ connection: consuming FileDescriptor) {
        guard let request = read(connection) else { return }
        heard.withLock { $0.append(request) }
        switch manner {
        case .answer(let text): write(Array(text.utf8), to: connection)
        case .drip(let text, let pause):
            for byte in text.utf8 {
                guard case .moved = connection.send([byte], from: 0) else { return }
                // Readable once the client has closed it.
                if connection.waitUntilReadable(milliseconds: pause) { return }
            }
        case .endless(let start, let rest):
            var text = Array(start.utf8)
            while let count = send(text, to: connection) {
                sentCount.withLock { $0 += count }
                text = Array(rest.utf8)
            }
        case .hang: _ = connection.waitUntilReadable(milliseconds: 20_000)
        }
    }

    private func write(_ bytes: [UInt8], to connection: borrowing FileDescriptor) {
        _ = send(bytes, to: connection)
        connection.shutDownWriting()
        _ = connection.waitUntilReadable(milliseconds: 5000)
    }

    /// The number of bytes; nil if the client did not take them all.
    private func send(_ bytes: [UInt8], to connection: borrowing FileDescriptor) -> Int? {
        var sent = 0
        while sent < bytes.count, connection.waitUntilWritable(milliseconds: 5000),
            case .moved(let count) = connection.send(bytes, from: sent)
        {
            sent += count
        }
        return sent == bytes.count ? sent : nil
    }

    private func read(_ connection: borrowing FileDescriptor) -> String? {
        // A piece may end within a character.
        var received: [UInt8] = []
        var piece = [UInt8](repeating: 0, count: 65_536)
        while !isComplete(received), connection.waitUntilReadable(milliseconds: 5000) {
            guard case .moved(let count) = connection.receive(into: &piece) else { return nil }
            received += piece[..<count]
        }
        return String(decoding: received, as: UTF8.self)
    }

    private func isComplete(_ received: [UInt8]) -> Bool {
        let request = String(decoding: received, as: UTF8.self)
        guard let end = request.firstRange(of: "\r\n\r\n") else { return false }
        let length = request.firstMatch(of: /Content-Length: (\d+)/).flatMap { Int($0.1) } ?? 0
        return request[end.upperBound...].utf8.count >= length
    }
}

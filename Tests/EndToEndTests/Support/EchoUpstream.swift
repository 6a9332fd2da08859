import POSIX
import Synchronization

/// A service behind the guard: it answers every request with the request itself, so that a test sees what arrived.
final class EchoUpstream: Sendable {
    let port: UInt16
    private let listener: Listener

    init() throws {
        let listener = try Listener.tcp(host: "127.0.0.1", port: 0)
        port = listener.port ?? 0
        self.listener = listener
        _ = try Thread.spawn(name: "echo") { [weak self] in
            while let upstream = self { upstream.serveOne() }
        }
    }

    private func serveOne() {
        guard listener.descriptor.waitUntilReadable(milliseconds: 200), let connection = try? listener.accept() else {
            return
        }
        var received: [UInt8] = []
        var piece = [UInt8](repeating: 0, count: 65_536)
        while !Self.isWhole(received), connection.waitUntilReadable(milliseconds: 2000),
            case .moved(let count) = connection.receive(into: &piece)
        {
            received += piece[..<count]
        }
        let head = "HTTP/1.1 200 OK\r\nContent-Length: \(received.count)\r\nConnection: close\r\n\r\n"
        _ = connection.send(Array(head.utf8) + received, from: 0)
        connection.shutDownWriting()
        _ = connection.waitUntilReadable(milliseconds: 2000)
    }

    private static func isWhole(_ bytes: [UInt8]) -> Bool {
        guard let end = bytes.indices.first(where: { bytes[$0...].starts(with: "\r\n\r\n".utf8) }) else { return false }
        let head = String(decoding: bytes[..<end], as: UTF8.self).lowercased()
        let length = head.split(separator: "\r\n").first { $0.hasPrefix("content-length:") }?.split(separator: " ").last
        return bytes.count >= end + 4 + (length.flatMap { Int($0) } ?? 0)
    }
}

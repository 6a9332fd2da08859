import DevelopmentHTTP
import Glibc
import POSIX
import Sockets

/// Another HTTP server of this machine. A request to it has a connection of its own, and its answer is not changed.
struct HTTPUpstream: Sendable {
    /// Longer than nginx waits for Gatehouse.
    private static let timeout = Duration.seconds(30)
    private static let largestAnswer = 8 << 20
    /// The header fields that are passed on. The host, the length and the connection are this request's own.
    private static let usuallyPassed: Set<String> = [
        "accept", "accept-language", "authorization", "content-encoding", "content-type", "dpop", "if-none-match",
        "user-agent", "x-forwarded-for", "x-forwarded-host",
    ]

    let address: SocketAddress
    private let passed: Set<String>
    private let version: String

    /// - Parameters:
    ///   - others: names of header fields that are passed on as well.
    ///   - version: the version of HTTP in the request. The answer to 1.0 is not split into chunks.
    init(_ address: SocketAddress, passing others: Set<String> = [], version: String = "1.1") {
        self.address = address
        passed = Self.usuallyPassed.union(others)
        self.version = version
    }

    /// The whole answer, with its head.
    func answer(to request: HTTPRequest, target: String) throws(POSIXError) -> [UInt8] {
        let deadline = MonotonicTime.now + Self.timeout
        let connection = try FileDescriptor.connected(to: address, until: deadline)
        try send(bytes(of: request, target: target), over: connection, until: deadline)
        return try receive(from: connection, until: deadline)
    }

    private func bytes(of request: HTTPRequest, target: String) -> [UInt8] {
        var head = "\(request.method) \(target) HTTP/\(version)\r\nHost: localhost\r\nConnection: close\r\n"
        for field in request.fields where passed.contains(field.name) { head += "\(field.name): \(field.value)\r\n" }
        if !request.body.isEmpty || request.method != "GET" { head += "Content-Length: \(request.body.count)\r\n" }
        return Array((head + "\r\n").utf8) + request.body
    }

    private func send(
        _ bytes: [UInt8], over connection: borrowing FileDescriptor, until deadline: MonotonicTime
    ) throws(POSIXError) {
        var sent = 0
        while sent < bytes.count {
            guard connection.waitUntilWritable(milliseconds: deadline.millisecondsLeft) else { throw Self.timedOut }
            switch connection.send(bytes, from: sent) {
            case .moved(let count): sent += count
            case .wouldBlock: continue
            // A server that closes the connection early may have answered.
            case .ended: return
            }
        }
    }

    private func receive(
        from connection: borrowing FileDescriptor, until deadline: MonotonicTime
    ) throws(POSIXError) -> [UInt8] {
        var received: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 65_536)
        while received.count < Self.largestAnswer {
            guard connection.waitUntilReadable(milliseconds: deadline.millisecondsLeft) else { throw Self.timedOut }
            switch connection.receive(into: &buffer) {
            case .moved(let count): received += buffer[..<count]
            case .wouldBlock: continue
            case .ended:
                guard !received.isEmpty else { throw POSIXError("wait for the server", code: ECONNRESET) }
                return received
            }
        }
        throw POSIXError("read an answer of more than \(Self.largestAnswer) bytes", code: EFBIG)
    }

    private static let timedOut = POSIXError("wait for the server", code: ETIMEDOUT)
}

package import POSIX
package import Sockets

/// A minimal HTTP/1.1 server with one request per connection and one thread per connection. It is
/// sufficient for development only.
package final class HTTPServer: Sendable {
    /// The timeout for each read and write, in milliseconds.
    private static let timeout: Int32 = 2000
    /// How often a waiting action is asked, in milliseconds.
    private static let pollInterval: Int64 = 20

    private let program: String
    private let listener: Listener
    private let names: HostNames
    private let advice: String
    private let answer: @Sendable (HTTPRequest) -> HTTPAction

    /// - Parameters:
    ///   - program: the name of the program, for its threads.
    ///   - advice: what to do about a request with another host name; part of its refusal.
    package init(
        _ program: String, on listener: consuming Listener, names: HostNames = HostNames(), advice: String,
        answer: @escaping @Sendable (HTTPRequest) -> HTTPAction
    ) {
        self.program = program
        self.listener = listener
        self.names = names
        self.advice = advice
        self.answer = answer
    }

    /// The port, which the kernel chose for port 0.
    package var port: UInt16 { listener.port ?? 0 }

    /// Serves until the process ends.
    package func run() throws(POSIXError) -> Never {
        while true {
            guard listener.descriptor.waitUntilReadable(milliseconds: -1), let connection = try listener.accept()
            else { continue }
            let number = connection.release()
            _ = try Thread.spawn(name: program) { [self] in
                serve(FileDescriptor(takingOwnership: number))
            }
        }
    }

    private var otherHost: HTTPReply {
        .refusal("421 Misdirected Request", "the Host header names another host; \(advice)")
    }

    private func serve(_ connection: consuming FileDescriptor) {
        perform(action(on: connection), on: connection)
    }

    private func perform(_ action: HTTPAction, on connection: borrowing FileDescriptor) {
        switch action {
        case .silence(let seconds):
            _ = connection.waitUntilReadable(milliseconds: Int32(clamping: seconds * 1000))
        case .reply(let reply, let seconds):
            // Ends early if the client closes the connection.
            if seconds > 0 { _ = connection.waitUntilReadable(milliseconds: Int32(clamping: seconds * 1000)) }
            send(reply.bytes, over: connection)
        case .pass(let bytes):
            send(bytes, over: connection)
        case .waiting(let seconds, let next):
            for _ in 0..<(seconds * 1000 / Self.pollInterval) {
                // It is readable when the client has closed it.
                guard !connection.waitUntilReadable(milliseconds: Int32(Self.pollInterval)) else { return }
                if let action = next() { return perform(action, on: connection) }
            }
        }
    }

    private func send(_ bytes: [UInt8], over connection: borrowing FileDescriptor) {
        var sent = 0
        loop: while sent < bytes.count, connection.waitUntilWritable(milliseconds: Self.timeout) {
            switch connection.send(bytes, from: sent) {
            case .moved(let count): sent += count
            case .wouldBlock: continue
            case .ended: break loop
            }
        }
        connection.shutDownWriting()
        // Closing with unread data would reset the connection before the client has read the answer.
        _ = connection.waitUntilReadable(milliseconds: Self.timeout)
    }

    /// Silence if the client is gone.
    private func action(on connection: borrowing FileDescriptor) -> HTTPAction {
        var received: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 16_384)
        while connection.waitUntilReadable(milliseconds: Self.timeout) {
            guard case .moved(let count) = connection.receive(into: &buffer) else { break }
            received += buffer[..<count]
            switch HTTPRequest.read(received) {
            case .incomplete: continue
            case .malformed: return .reply(.refusal("400 Bad Request", "malformed HTTP request"))
            case .complete(let request):
                return names.contains(request.host) ? answer(request) : .reply(otherHost)
            }
        }
        return .silence(seconds: 0)
    }
}

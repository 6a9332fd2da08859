package import POSIX

/// Answers HTTP/1.1, one request a connection and a thread for each: enough for a developer's machine, and nothing that
/// could be mistaken for a server.
package final class HTTPServer: Sendable {
    /// In milliseconds: who connects has to say something, and go on saying it.
    private static let patience: Int32 = 2000

    private let listener: Listener
    private let names: HostNames
    private let answer: @Sendable (HTTPRequest) -> HTTPAction

    init(
        _ listener: consuming Listener, names: HostNames = HostNames(),
        answer: @escaping @Sendable (HTTPRequest) -> HTTPAction
    ) {
        self.listener = listener
        self.names = names
        self.answer = answer
    }

    /// The port it answers at, which the kernel chose if none was asked for.
    package var port: UInt16 { listener.port ?? 0 }

    /// Serves until the process ends.
    package func run() throws(POSIXError) -> Never {
        while true {
            guard listener.descriptor.waitUntilReadable(milliseconds: -1), let connection = try listener.accept()
            else { continue }
            let number = connection.release()
            _ = try Thread.spawn(name: "fake-apple") { [self] in
                serve(FileDescriptor(takingOwnership: number))
            }
        }
    }

    private func serve(_ connection: consuming FileDescriptor) {
        switch action(on: connection) {
        case .silence(let seconds):
            _ = connection.waitUntilReadable(milliseconds: Int32(clamping: seconds * 1000))
        case .reply(let reply, let seconds):
            // Whoever hangs up is not waited for.
            if seconds > 0 { _ = connection.waitUntilReadable(milliseconds: Int32(clamping: seconds * 1000)) }
            send(reply, over: connection)
            connection.shutDownWriting()
            // Closing with something unread would take the answer away from the client again.
            _ = connection.waitUntilReadable(milliseconds: Self.patience)
        }
    }

    private func send(_ reply: HTTPReply, over connection: borrowing FileDescriptor) {
        let bytes = reply.bytes
        var sent = 0
        while sent < bytes.count, connection.waitUntilWritable(milliseconds: Self.patience),
            case .moved(let count) = connection.send(bytes, from: sent)
        {
            sent += count
        }
    }

    /// Silence where nobody is left to answer.
    private func action(on connection: borrowing FileDescriptor) -> HTTPAction {
        var received: [UInt8] = []
        var piece = [UInt8](repeating: 0, count: 16_384)
        while connection.waitUntilReadable(milliseconds: Self.patience) {
            guard case .moved(let count) = connection.receive(into: &piece) else { break }
            received += piece[..<count]
            switch HTTPRequest.read(received) {
            case .incomplete: continue
            case .malformed: return .reply(.refusal("400 Bad Request", "this is no HTTP request"))
            case .complete(let request):
                return names.contains(request.host) ? answer(request) : .reply(HostNames.refusal)
            }
        }
        return .silence(seconds: 0)
    }
}

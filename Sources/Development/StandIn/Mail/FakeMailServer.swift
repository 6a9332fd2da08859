import POSIX
import Sockets
import Synchronization

/// A mail server over plain TCP, with a thread for each connection. It delivers to the inbox of the stand-ins alone.
final class FakeMailServer: Sendable {
    private static let maximumConnections = 16

    private let mail: FakeMail
    private let listener: Listener
    private let connections = Atomic(0)

    init(_ mail: FakeMail, on listener: consuming Listener) {
        self.mail = mail
        self.listener = listener
    }

    /// Serves until the process ends.
    func run() throws(POSIXError) -> Never {
        while true {
            guard listener.descriptor.waitUntilReadable(milliseconds: -1), let socket = try listener.accept()
            else { continue }
            guard connections.load(ordering: .relaxed) < Self.maximumConnections else {
                _ = socket.send(SMTPReply.crowded.bytes, from: 0)
                continue
            }
            connections.add(1, ordering: .relaxed)
            let number = socket.release()
            _ = try Thread.spawn(name: "fake-mail") { [self] in
                defer { connections.subtract(1, ordering: .relaxed) }
                var connection = SMTPConnection(FileDescriptor(takingOwnership: number), mail)
                connection.serve()
            }
        }
    }
}

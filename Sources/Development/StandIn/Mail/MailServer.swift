import POSIX
import Sockets
import Synchronization

/// Serves one client of the mail server.
struct SMTPConnection: ~Copyable {
    /// The timeout for a command and for each write, in milliseconds.
    private static let timeout: Int32 = 30_000
    /// How long the server waits for the client to close a connection that has ended, in milliseconds.
    private static let closingTimeout: Int32 = 2000

    private let socket: FileDescriptor
    private let mail: FakeMail
    private var session: SMTPSession
    private var lines = SMTPLines()

    init(_ socket: consuming FileDescriptor, _ mail: FakeMail) {
        self.socket = socket
        self.mail = mail
        session = SMTPSession(mail.settings)
    }

    mutating func serve() {
        guard let answers = answers(to: "CONNECT") else { return }
        guard answer("CONNECT", MailFault(answers) == .serviceNotAvailable ? .unavailable : .greeting) else { return }
        while let line = nextLine() {
            guard case .complete(let text) = line else {
                _ = send(.badLine)
                return
            }
            guard take(text) else { return }
        }
    }

    /// False if the connection ends with the answer.
    private mutating func take(_ line: [UInt8]) -> Bool {
        let isData = session.isReceivingData
        if isData, line != [UInt8(ascii: ".")] {
            _ = session.take(line, fault: nil)
            return true
        }
        let command = isData ? "END" : SMTPSession.command(line)
        guard let answers = answers(to: command) else { return false }
        return answer(command, reply(to: line, answers))
    }

    private mutating func reply(to line: [UInt8], _ answers: AnswerSettings) -> SMTPReply {
        let fault = MailFault(answers)
        if fault == .serviceNotAvailable { return .unavailable }
        switch session.take(line, fault: fault) {
        case .reply(let reply): return reply ?? .done
        case .message(let delivery):
            let reply = fault == .mailboxFull ? .fullMailbox : mail.accept(delivery)
            // Ends early if the client gives up.
            if answers.mode == .slow {
                _ = socket.waitUntilReadable(milliseconds: Int32(clamping: answers.seconds * 1000))
            }
            return reply
        }
    }

    /// How to answer a command. Nil to close the connection without an answer.
    private func answers(to command: String) -> AnswerSettings? {
        mail.answers(to: command) { !socket.hasPeerClosed }
    }

    private func answer(_ command: String, _ reply: SMTPReply) -> Bool {
        mail.record(command, reply)
        return send(reply)
    }
}

// MARK: - The socket

extension SMTPConnection {
    /// Nil if the client has closed the connection, or is idle.
    private mutating func nextLine() -> SMTPLines.Line? {
        var buffer = [UInt8](repeating: 0, count: 4096)
        while true {
            if let line = lines.next() { return line }
            guard socket.waitUntilReadable(milliseconds: Self.timeout) else {
                _ = send(.idle)
                return nil
            }
            switch socket.receive(into: &buffer) {
            case .moved(let count): lines.append(buffer[..<count])
            case .wouldBlock: continue
            case .ended: return nil
            }
        }
    }

    /// False if the connection ends with the reply, or has failed.
    private func send(_ reply: SMTPReply) -> Bool {
        let bytes = reply.bytes
        var sent = 0
        while sent < bytes.count {
            guard socket.waitUntilWritable(milliseconds: Self.timeout) else { return false }
            switch socket.send(bytes, from: sent) {
            case .moved(let count): sent += count
            case .wouldBlock: continue
            case .ended: return false
            }
        }
        guard reply.closes else { return true }
        // Closing with unread data would reset the connection before the client has read the reply.
        socket.shutDownWriting()
        _ = socket.waitUntilReadable(milliseconds: Self.closingTimeout)
        return false
    }
}

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

import POSIX

/// Answering, without ever waiting for the peer to read.
extension Worker {
    /// Has the handler answer the request in the intake; nil when the connection can be read on.
    func respond(_ connection: Connection) -> Verdict? {
        connection.incompleteUntil = nil
        let ending: Connection.Ending =
            if intake.bodyIsTooLarge { .linger } else if intake.keepsConnection { .keep } else { .close }
        // The request is gone when the intake is cleared, whose memory would otherwise be somebody else's, too.
        Answer.write(to: intake.requestID, into: &answer) { responder.handler(Request(intake), &$0) }
        intake.finishRequest()
        return send(answer, on: connection, then: ending)
    }

    /// Sends what the peer takes now and leaves the rest for later; nil when the connection can be read on.
    func send(_ bytes: [UInt8], on connection: Connection, then ending: Connection.Ending) -> Verdict? {
        connection.ending = ending
        var sent = 0
        switch connection.send(bytes) {
        case .moved(let count): sent = count
        case .wouldBlock: break
        case .ended: return .close
        }
        if sent == bytes.count { return follow(ending, connection) }
        connection.outgoing = Array(bytes[sent...])
        connection.sentCount = 0
        return flush(connection)
    }

    /// Goes on sending; nil when the connection can be read on.
    func flush(_ connection: Connection) -> Verdict? {
        while connection.sentCount < connection.outgoing.count {
            switch connection.send(connection.outgoing, from: connection.sentCount) {
            case .moved(let count): connection.sentCount += count
            case .wouldBlock: return .park
            case .ended: return .close
            }
        }
        connection.outgoing = []
        return follow(connection.ending, connection)
    }

    private func follow(_ ending: Connection.Ending, _ connection: Connection) -> Verdict? {
        switch ending {
        case .keep: return nil
        case .close: return .close
        case .linger:
            connection.beginLingering(until: MonotonicTime.now + responder.limits.lingerFor)
            return discard(connection)
        }
    }
}

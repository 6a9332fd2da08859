import POSIX

/// Answering, without ever waiting for the peer to read.
extension Worker {
    /// Has the handler answer the request in the intake; nil when the connection can be read on.
    func respond(_ connection: Connection) -> Verdict? {
        defer { intake.finishRequest() }
        connection.incompleteUntil = nil
        guard let body = exchange.open(intake) else { return giveUp() }
        let ending: Connection.Ending =
            if intake.bodyIsTooLarge { .linger } else if intake.keepsConnection { .keep } else { .close }
        let request = unsafe Request(
            environment: exchange.environment, body: body, bodyIsTooLarge: intake.bodyIsTooLarge)
        let response = responder.handler(request)
        guard connection.takesAtOnce(response.count) else {
            guard let bytes = exchange.record(response) else { return giveUp() }
            return send(bytes, on: connection, then: ending)
        }
        guard connection.answer(response, by: exchange) else { return .close }
        return follow(ending, connection)
    }

    /// Sends what the peer takes now and leaves the rest for later; nil when the connection can be read on.
    func send(_ bytes: [UInt8], on connection: Connection, then ending: Connection.Ending) -> Verdict? {
        connection.outgoing = bytes
        connection.sentCount = 0
        connection.ending = ending
        return flush(connection)
    }

    /// Goes on sending; nil when the connection can be read on.
    func flush(_ connection: Connection) -> Verdict? {
        while connection.sentCount < connection.outgoing.count {
            switch connection.sendOutgoing() {
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

    private func giveUp() -> Verdict {
        responder.report(.exchangeFailed)
        return .close
    }
}

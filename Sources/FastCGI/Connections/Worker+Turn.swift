import POSIX

/// What a worker does with a connection that it holds.
extension Worker {
    /// What becomes of a connection after its turn.
    enum Verdict {
        case park
        case close
        /// Between two requests, while shutting down.
        case leave
    }

    /// How often a connection may fill the buffer before others have their turn.
    private static let receivesPerTurn = 16

    /// Goes on with a connection as far as it can go without waiting, and lets go of it.
    ///
    /// - Parameter untilEmpty: Read until nothing is left, even if less came than there was room for. That is a sign that
    ///   nothing is left, but not that the connection has not ended.
    func attend(_ connection: Connection, untilEmpty: Bool = false) {
        var untilEmpty = untilEmpty
        repeat {
            let verdict = takeTurn(connection, untilEmpty: untilEmpty)
            guard verdict == .park, watch(connection) else { return end(connection, verdict) }
            untilEmpty = true
        } while !connection.park()
    }

    /// Leaves a new connection to whichever worker the poller tells of it.
    func handOver(_ connection: Connection) {
        guard watch(connection), connection.park() else { return attend(connection) }
    }

    /// Has the poller tell of a connection that rests, so that whichever worker is free takes a look at it.
    func nudge(_ connection: Connection) {
        connection.interest = .newlyWritable
        guard (try? responder.poller.set(connection.number, .newlyWritable)) != nil, connection.park() else {
            return attend(connection)
        }
    }

    private func takeTurn(_ connection: Connection, untilEmpty: Bool) -> Verdict {
        if connection.isLingering { return discard(connection) }
        if !connection.outgoing.isEmpty, let verdict = flush(connection) { return verdict }
        if let begun = connection.intake.take() { intake = begun }
        let verdict = read(connection, untilEmpty: untilEmpty)
        putIntakeAway(connection, verdict)
        return verdict
    }

    private func read(_ connection: Connection, untilEmpty: Bool) -> Verdict {
        if !connection.unread.isEmpty {
            let bytes = connection.unread
            connection.unread = []
            if let verdict = digest(bytes, count: bytes.count, of: connection) { return verdict }
        }
        for _ in 0..<Self.receivesPerTurn {
            switch connection.receive(into: &buffer) {
            case .ended: return .close
            case .wouldBlock: return isDraining && !intake.isMidway ? .leave : .park
            case .moved(let count):
                if let verdict = digest(buffer, count: count, of: connection) { return verdict }
                if count < buffer.count && !untilEmpty && !isDraining { return .park }
            }
        }
        connection.mayHaveMore = true
        return .park
    }

    /// Acts on received bytes; nil when all are used and the connection can be read on.
    private func digest(_ bytes: [UInt8], count: Int, of connection: Connection) -> Verdict? {
        var range = 0..<count
        while true {
            let verdict: Verdict?
            switch intake.consume(bytes, &range) {
            case .hungry: return nil
            case .request: verdict = respond(connection)
            case .reply(let reply, let thenClose):
                verdict = send(reply, on: connection, then: thenClose ? .linger : .keep)
            case .refused(let refusal):
                responder.report(.refused(refusal))
                return .close
            }
            guard let verdict else { continue }
            if verdict == .park && !connection.isLingering { connection.unread = Array(bytes[range]) }
            return verdict
        }
    }

    /// Whoever keeps a connection for the next process gets it with all that the peer has sent since: nothing of it has
    /// been read. The poller is told, since it watches what others keep open as well.
    private func end(_ connection: Connection, _ verdict: Verdict) {
        if verdict == .leave, responder.mayHandOver {
            if connection.interest != nil { try? responder.poller.remove(connection.number) }
            responder.handOver(connection.number)
        }
        responder.connections.dismiss(connection)
    }

    /// A request that is not complete stays with its connection; the worker goes on with an intake of its own.
    private func putIntakeAway(_ connection: Connection, _ verdict: Verdict) {
        guard intake.isMidway else { return }
        if verdict == .park && !connection.isLingering { connection.intake = intake }
        intake = Intake(limits: responder.limits)
    }

    /// Reads on after the last answer and forgets it, so that the peer is not told of a reset before it has read.
    func discard(_ connection: Connection) -> Verdict {
        for _ in 0..<Self.receivesPerTurn {
            switch connection.receive(into: &buffer) {
            case .ended: return .close
            case .wouldBlock: return .park
            case .moved: continue
            }
        }
        connection.mayHaveMore = true
        return .park
    }
}

// MARK: - Letting go

extension Worker {
    /// Prepares a connection for nobody holding it; false if the poller cannot watch it.
    ///
    /// The poller tells of what is new. It is told anew what to watch for when something else may be left.
    private func watch(_ connection: Connection) -> Bool {
        setDeadline(of: connection)
        let interest: Poller.Interest = connection.outgoing.isEmpty ? .newlyReadable : .newlyWritable
        defer {
            connection.interest = interest
            connection.mayHaveMore = false
        }
        if connection.interest == nil {
            return (try? responder.poller.add(connection.number, interest)) != nil
        }
        guard connection.interest != interest || connection.mayHaveMore else { return true }
        return (try? responder.poller.set(connection.number, interest)) != nil
    }

    private func setDeadline(of connection: Connection) {
        connection.idleSince = nil
        if connection.isLingering { return }
        if !connection.outgoing.isEmpty {
            connection.deadline = MonotonicTime.now + responder.limits.unreadFor
        } else if connection.intake != nil {
            let deadline = connection.incompleteUntil ?? MonotonicTime.now + responder.limits.incompleteFor
            connection.incompleteUntil = deadline
            connection.deadline = deadline
        } else {
            connection.deadline = nil
            connection.idleSince = .now
        }
    }
}

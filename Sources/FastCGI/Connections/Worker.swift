import POSIX
import Synchronization

/// One thread of a responder: takes the next event, whatever it is, and sees it through.
final class Worker {
    let responder: Responder
    private let index: Int
    private var hasSeat = false
    /// Where bytes are received, before they are put together. Made with the first seat, which most workers never take.
    var buffer: [UInt8] = []
    /// Of the connection at hand. A request that comes in one piece never leaves it, so its memory serves them all.
    var intake: Intake
    /// The answer at hand, as it is sent.
    var answer: [UInt8] = []
    private(set) var isDraining = false

    /// Nearly every request fits, and one receive is enough.
    private static let bufferSize = 16 << 10
    /// How many connections are accepted before one of them is served.
    private static let burst = 64
    /// How often a draining worker looks whether all is done.
    private static let drainPause: Int32 = 20

    init(_ index: Int, of responder: Responder) {
        self.index = index
        self.responder = responder
        intake = Intake(limits: responder.limits)
    }

    func run() {
        StandIn.onWaiting { [unowned self] in leaveSeat() }
        defer { StandIn.onWaiting(nil) }
        while !(isDraining && isDrained) {
            takeSeat()
            guard let event = nextEvent() else {
                sweep()
                continue
            }
            switch event.descriptor {
            case responder.stop.descriptor.number: drain()
            case responder.ticker.descriptor.number: tick()
            case responder.listener.descriptor.number: acceptBurst()
            default: resume(event)
            }
        }
        sweep()
    }

    private func takeSeat() {
        if responder.seats.areTooManySeated { leaveSeat() }
        guard !hasSeat else { return }
        responder.seats.take(index)
        hasSeat = true
        if buffer.isEmpty { buffer = [UInt8](repeating: 0, count: Self.bufferSize) }
    }

    private func leaveSeat() {
        guard hasSeat else { return }
        hasSeat = false
        responder.seats.leave()
    }

    /// The poller fails only if the program has broken it: nothing could be served any more, so nobody shall wait.
    private func nextEvent() -> Poller.Event? {
        responder.seats.beginWaiting()
        defer { responder.seats.endWaiting() }
        do {
            return try responder.poller.wait(milliseconds: isDraining ? Self.drainPause : nil)
        } catch {
            fatalError("\(error)")
        }
    }

    private func resume(_ event: Poller.Event) {
        guard let connection = responder.connections[event.descriptor], connection.notify() else { return }
        attend(connection, untilEmpty: event.isLast)
    }
}

// MARK: - Accepting

extension Worker {
    /// Takes what waits, so that the queue of the listener never fills up. The first connection is served here, where its
    /// request is likely to be waiting; the others go to the poller, and from there to whichever thread is free.
    private func acceptBurst() {
        var first: Connection?
        for _ in 0..<Self.burst {
            guard let socket = accept() else { return serve(first) }
            guard let connection = admit(socket) else {
                responder.report(.tooManyConnections)
                continue
            }
            if first == nil {
                first = connection
            } else {
                handOver(connection)
            }
        }
        watchListener()
        serve(first)
    }

    private func serve(_ connection: Connection?) {
        if let connection { attend(connection) }
    }

    private func accept() -> FileDescriptor? {
        do {
            return try responder.listener.accept()
        } catch {
            responder.mustRetryAccepting.store(true, ordering: .relaxed)
            responder.report(.acceptFailed(error))
            return nil
        }
    }

    /// Has the poller tell again of connections that wait already. During shutdown it may not know the listener any more.
    private func watchListener() {
        try? responder.poller.set(responder.listener.descriptor.number, .newlyReadable)
    }
}

// MARK: - Deadlines and shutting down

extension Worker {
    private func tick() {
        responder.ticker.take()
        sweep()
        if responder.mustRetryAccepting.exchange(false, ordering: .relaxed) { watchListener() }
    }

    /// Closes what has been waited for long enough. While draining, that is every connection which owes nothing and is
    /// owed nothing: it gets one more look, in case a request came in at the last moment. Otherwise it is every connection
    /// that has been idle too long.
    private func sweep() {
        let now = MonotonicTime.now
        let isOver = isDraining && now.milliseconds >= responder.drainEnd.load(ordering: .relaxed)
        responder.connections.claimAll {
            action(for: $0, at: now, isOver: isOver) != .leave
        } then: { connection in
            // Another thread may have used the connection before it was claimed, so this is decided again.
            switch action(for: connection, at: now, isOver: isOver) {
            case .expire: expire(connection)
            case .closeIdle: closeIdle(connection)
            case .nudge, .leave: nudge(connection)
            }
        }
    }

    /// What a sweep does with a connection.
    private enum SweepAction {
        case leave
        case nudge
        case closeIdle
        case expire
    }

    /// - Parameter isOver: the time for draining has passed.
    private func action(for connection: Connection, at now: MonotonicTime, isOver: Bool) -> SweepAction {
        let deadline = connection.deadline
        if isOver || deadline.map({ $0 <= now }) ?? false { return .expire }
        if isDraining { return deadline == nil ? .nudge : .leave }
        return isIdleTooLong(connection, at: now) ? .closeIdle : .leave
    }

    private func expire(_ connection: Connection) {
        if !connection.isLingering { responder.report(.expired) }
        responder.connections.dismiss(connection)
    }

    /// Learns of the shutdown. The poller tells one thread, which has it tell another one, until all know.
    private func drain() {
        if isDraining {
            // Lets another thread be the next to wait for the poller.
            Thread.pause(for: .milliseconds(2))
        } else {
            isDraining = true
            if responder.drainingWorkers.add(1, ordering: .acquiringAndReleasing).newValue == 1 { closeDoors() }
        }
        if responder.drainingWorkers.load(ordering: .acquiring) < responder.workers {
            try? responder.poller.set(responder.stop.descriptor.number, .newlyReadable)
        }
        sweep()
    }

    /// Nobody new comes in; those who stand in the door already are served.
    private func closeDoors() {
        let end = MonotonicTime.now + responder.limits.drain
        responder.drainEnd.store(end.milliseconds, ordering: .relaxed)
        try? responder.poller.remove(responder.listener.descriptor.number)
        guard responder.listener.withdraw() else { return }
        while let socket = accept() {
            if let connection = admit(socket) { handOver(connection) }
        }
        responder.listener.refuse()
    }

    private var isDrained: Bool {
        responder.connections.count == 0
            || MonotonicTime.now.milliseconds >= responder.drainEnd.load(ordering: .relaxed)
    }
}

package import POSIX
import Sockets
import Synchronization

/// Connections that no worker holds: accepting, waiting, timeouts and shutdown.
extension Responder {
    /// Accepts one connection for each event: the poller reports the listener as long as connections are pending.
    func acceptConnection() -> FileDescriptor? {
        do throws(POSIXError) {
            guard let socket = try listener.accept() else { return nil }
            return register(socket, isOwn: false) { closeLongestIdle() }
        } catch {
            // The poller would report the listener again and again until there are descriptors or memory.
            try? poller.remove(listener.descriptor.number)
            isAcceptingPaused.store(true, ordering: .relaxed)
            report(.acceptFailed(error))
            return nil
        }
    }

    /// Serves a connection that was accepted elsewhere; false if it cannot be watched, or exceeds the limit.
    ///
    /// - Parameter isOwn: this process is the peer, and no limit applies.
    @discardableResult
    package func adopt(_ socket: consuming FileDescriptor, isOwn: Bool = false) -> Bool {
        guard let socket = register(socket, isOwn: isOwn, makingRoom: { false }) else { return false }
        return wait(for: .request, on: socket)
    }

    /// Counts a connection. If it exceeds the limit and no other connection can be closed for it, it is closed.
    private func register(
        _ socket: consuming FileDescriptor, isOwn: Bool, makingRoom makeRoom: () -> Bool
    ) -> FileDescriptor? {
        if openCount.add(1, ordering: .relaxed).newValue <= limits.connections || isOwn { return socket }
        report(.tooManyConnections)
        if makeRoom() { return socket }
        close(socket)
        return nil
    }

    private func closeLongestIdle() -> Bool {
        let idle = connections.all(where: \.isIdle).sorted { $0.entry.deadline < $1.entry.deadline }
        return idle.prefix(16).contains { closeIfQuiet($0.number) }
    }

    /// Puts a connection into the wait table, or closes it if `what` is nil. If it cannot be watched, it is closed and
    /// the result is false.
    @discardableResult
    func wait(for what: ConnectionState?, on socket: consuming FileDescriptor) -> Bool {
        guard let what else {
            close(socket)
            return true
        }
        if case .peerToClose = what { socket.shutDownWriting() }
        let number = socket.release()
        let (interest, timeout) = what.pollTerms(limits)
        let entry = ConnectionState.Entry(state: what, deadline: .now + timeout)
        connections.put(number, entry)
        do throws(POSIXError) {
            if entry.isForWorker { try poller.arm(number, interest) } else { try slowPoller.arm(number, interest) }
            return true
        } catch {
            // EBADF: another thread has closed this connection to make room, and its number may have been reused.
            if !error.isClosed, connections.take(number, where: { _ in true }) != nil {
                close(FileDescriptor(takingOwnership: number))
            }
            return false
        }
    }

    /// - Parameter isClosed: libfcgi has closed the descriptor.
    func close(_ socket: consuming FileDescriptor, isClosed: Bool = false) {
        if isClosed { _ = socket.release() } else { _ = consume socket }
        openCount.subtract(1, ordering: .relaxed)
    }

    /// Closes an idle connection, unless a request has just arrived.
    private func closeIfQuiet(_ number: Int32, where isWanted: (ConnectionState.Entry) -> Bool = \.isIdle) -> Bool {
        guard connections.take(number, where: { $0.isIdle && isWanted($0) }) != nil else { return false }
        let socket = FileDescriptor(takingOwnership: number)
        let isQuiet = !socket.waitUntilReadable(milliseconds: 0)
        wait(for: isQuiet ? nil : .request, on: socket)
        return isQuiet
    }

    /// Handles one event of a slow peer, or returns after the timeout.
    func serveSlowPeer(atMost milliseconds: Int32, _ buffer: inout [UInt8]) {
        guard let number = try? slowPoller.wait(milliseconds: milliseconds),
            let entry = connections.take(number, where: { !$0.isForWorker })
        else { return }
        let socket = FileDescriptor(takingOwnership: number)
        switch advance(entry.state, on: socket, &buffer) {
        case .keepWaiting(let state):
            connections.put(socket.release(), ConnectionState.Entry(state: state, deadline: entry.deadline))
        case .next(let next):
            try? slowPoller.remove(number)
            wait(for: next, on: socket)
        }
    }

    private enum Step {
        case keepWaiting(ConnectionState)
        case next(ConnectionState?)
    }

    private func advance(_ state: ConnectionState, on socket: borrowing FileDescriptor, _ buffer: inout [UInt8]) -> Step
    {
        if case .peerToRead(let file, let next) = state {
            return switch file.send(to: socket) {
            // The peer has read a part, so its timeout starts again.
            case .wouldBlock: .next(state)
            case .ended: .next(nil)
            case .moved: .next(next)
            }
        }
        switch socket.receive(into: &buffer) {
        case .wouldBlock: return .keepWaiting(state)
        case .ended: return .next(nil)
        case .moved(let count): return advance(state, with: buffer[..<count])
        }
    }

    private func advance(_ state: ConnectionState, with received: ArraySlice<UInt8>) -> Step {
        switch state {
        case .restOfRequest(let beginning):
            let bytes = (beginning?.bytes ?? []) + received
            do throws(ProtocolFault) {
                if case .request(let body) = try PeekedInput(in: bytes.span, limits) {
                    return .next(.freeWorker(PartialRequest(bytes, countedIn: unfinished), body))
                }
                guard bytes.count < PeekedInput.maximumLength else { throw .protocolViolation }
                return .keepWaiting(.restOfRequest(PartialRequest(bytes, countedIn: unfinished)))
            } catch {
                report(.refused(error))
                return .next(nil)
            }
        case .endOfBody(var end, let answer, let next):
            guard let rest = end.find(in: received) else {
                return .keepWaiting(.endOfBody(end, answer: answer, then: next))
            }
            return .next(.peerToRead(answer, then: rest.isEmpty ? next : .peerToClose))
        case .peerToClose, .peerToRead, .request, .freeWorker: return .keepWaiting(state)
        }
    }

    /// Closes connections whose deadline has passed, and resumes accepting after a failure.
    func sweep(all: Bool = false) {
        let now = MonotonicTime.now
        let isDue: (ConnectionState.Entry) -> Bool = { all || $0.deadline <= now }
        for (number, _) in connections.all(where: isDue) {
            if closeIfQuiet(number, where: isDue) { continue }
            // A worker may have taken the connection meanwhile.
            guard let entry = connections.take(number, where: { isDue($0) && (all || !$0.isIdle) }) else { continue }
            let socket = FileDescriptor(takingOwnership: number)
            try? slowPoller.remove(number)
            switch entry.state {
            case .endOfBody(_, let answer, _) where !all: wait(for: .peerToRead(answer, then: .peerToClose), on: socket)
            case .peerToClose: close(socket)
            default:
                report(.expired)
                close(socket)
            }
        }
        if !stop.wait(milliseconds: 0), isAcceptingPaused.exchange(false, ordering: .relaxed) {
            let isWatched = (try? poller.arm(listener.descriptor.number, .readable)) != nil
            if !isWatched { isAcceptingPaused.store(true, ordering: .relaxed) }
        }
    }

    /// Accepts the pending connections, and closes each connection when it becomes idle. With a keeper, the next
    /// process continues to serve it instead, including the data in its socket.
    func drain(until end: MonotonicTime) {
        try? slowPoller.remove(stop.descriptor.number)
        try? poller.remove(listener.descriptor.number)
        if listener.withdraw() {
            while let socket = try? listener.accept() { adopt(socket) }
            listener.refuse()
        }
        slots.removeLimit()
        var buffer = PeekedInput.buffer()
        while openConnections > 0, .now < end {
            suspension.tick()
            releaseIdle()
            serveSlowPeer(atMost: 5, &buffer)
            closeLargestUnfinished()
            sweep()
        }
    }

    /// Hands over each idle connection, or closes it if there is no keeper. A connection that a worker has taken
    /// meanwhile is left for the next call, when it may be idle again.
    func releaseIdle() {
        for (number, _) in connections.all(where: \.isIdle) {
            if let keeper, !hasLostKeeper.load(ordering: .relaxed) {
                handOver(number, to: keeper)
            } else {
                _ = closeIfQuiet(number)
            }
        }
    }

    /// The connection is removed from the poller, which would otherwise watch it as long as another process holds it
    /// open. A keeper that has failed once is not called again.
    private func handOver(_ number: Int32, to keeper: Keeper) {
        guard connections.take(number, where: \.isIdle) != nil else { return }
        try? poller.remove(number)
        let isKept = keeper(number)
        if !isKept { hasLostKeeper.store(true, ordering: .relaxed) }
        wait(for: isKept ? nil : .request, on: FileDescriptor(takingOwnership: number))
    }
}

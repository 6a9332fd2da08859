package import POSIX
import Synchronization

/// What becomes of connections that no worker holds.
extension Responder {
    /// The next waiting connection: one for each event, for the poller reports the listener until none waits.
    func acceptConnection() -> FileDescriptor? {
        do throws(POSIXError) {
            guard let socket = try listener.accept() else { return nil }
            return admit(socket, isOwn: false) { closeLongestIdle() }
        } catch {
            // It would be reported again at once, and for nothing, until there are descriptors or memory again.
            try? poller.remove(listener.descriptor.number)
            isAcceptingPaused.store(true, ordering: .relaxed)
            report(.acceptFailed(error))
            return nil
        }
    }

    /// Takes over a connection that was accepted elsewhere; false if it is of no use, or one too many.
    ///
    /// - Parameter isOwn: this process is at the other end, too, and no limit applies.
    @discardableResult
    package func adopt(_ socket: consuming FileDescriptor, isOwn: Bool = false) -> Bool {
        guard let socket = admit(socket, isOwn: isOwn, makingRoom: { false }) else { return false }
        return wait(for: .request, on: socket)
    }

    /// Counts a connection, and closes it if it is one too many for which no room can be made.
    private func admit(
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

    /// Lets a connection wait; nil closes it. False if it cannot be watched, and then it is closed, too.
    @discardableResult
    func wait(for what: Waiting?, on socket: consuming FileDescriptor) -> Bool {
        guard let what else {
            close(socket)
            return true
        }
        if case .peerToClose = what { socket.shutDownWriting() }
        let number = socket.release()
        let (interest, patience) = what.terms(limits)
        let entry = Waiting.Entry(waiting: what, deadline: .now + patience)
        connections.put(number, entry)
        do throws(POSIXError) {
            if entry.isForWorker { try poller.arm(number, interest) } else { try slowPoller.arm(number, interest) }
            return true
        } catch {
            // Another thread has closed this connection to make room, and its number may have been used again.
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

    /// Closes an idle connection, unless a request has just arrived on it.
    private func closeIfQuiet(_ number: Int32, where isWanted: (Waiting.Entry) -> Bool = \.isIdle) -> Bool {
        guard connections.take(number, where: { $0.isIdle && isWanted($0) }) != nil else { return false }
        let socket = FileDescriptor(takingOwnership: number)
        let isQuiet = !socket.waitUntilReadable(milliseconds: 0)
        wait(for: isQuiet ? nil : .request, on: socket)
        return isQuiet
    }

    /// Goes on with a slow peer's connection when the peer has done something, or after some time.
    func lookAfterPeers(atMost milliseconds: Int32, _ buffer: inout [UInt8]) {
        guard let number = try? slowPoller.wait(milliseconds: milliseconds),
            let entry = connections.take(number, where: { !$0.isForWorker })
        else { return }
        let socket = FileDescriptor(takingOwnership: number)
        switch proceed(entry.waiting, on: socket, &buffer) {
        case .goOn(let waiting):
            connections.put(socket.release(), Waiting.Entry(waiting: waiting, deadline: entry.deadline))
        case .next(let next):
            try? slowPoller.remove(number)
            wait(for: next, on: socket)
        }
    }

    private enum Step {
        case goOn(Waiting)
        case next(Waiting?)
    }

    private func proceed(_ waiting: Waiting, on socket: borrowing FileDescriptor, _ buffer: inout [UInt8]) -> Step {
        if case .peerToRead(let file, let next) = waiting {
            return switch file.send(to: socket) {
            // The peer has taken some, and has as much time again.
            case .wouldBlock: .next(waiting)
            case .ended: .next(nil)
            case .moved: .next(next)
            }
        }
        switch socket.receive(into: &buffer) {
        case .wouldBlock: return .goOn(waiting)
        case .ended: return .next(nil)
        case .moved(let count): return proceed(waiting, with: buffer[..<count])
        }
    }

    private func proceed(_ waiting: Waiting, with received: ArraySlice<UInt8>) -> Step {
        switch waiting {
        case .restOfRequest(let beginning):
            let bytes = beginning + received
            do throws(Refusal) {
                if case .request(let body) = try Arrival(in: bytes.span, limits) {
                    return .next(.freeWorker(bytes, body))
                }
                guard bytes.count < Arrival.longest else { throw .protocolViolation }
                return .goOn(.restOfRequest(bytes))
            } catch {
                report(.refused(error))
                return .next(nil)
            }
        case .endOfBody(var end, let answer, let next):
            guard let behind = end.find(in: received) else { return .goOn(.endOfBody(end, answer: answer, then: next)) }
            return .next(.peerToRead(answer, then: behind.isEmpty ? next : .peerToClose))
        case .peerToClose, .peerToRead, .request, .freeWorker: return .goOn(waiting)
        }
    }

    /// Closes what has waited long enough.
    func sweep(all: Bool = false) {
        let now = MonotonicTime.now
        let isDue: (Waiting.Entry) -> Bool = { all || $0.deadline <= now }
        for (number, _) in connections.all(where: isDue) {
            if closeIfQuiet(number, where: isDue) { continue }
            // What the table listed may have gone on meanwhile.
            guard let entry = connections.take(number, where: { isDue($0) && (all || !$0.isIdle) }) else { continue }
            let socket = FileDescriptor(takingOwnership: number)
            try? slowPoller.remove(number)
            switch entry.waiting {
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

    /// Takes in what waits at the listener, and closes each connection when it becomes idle. Where there is a keeper, the next
    /// process goes on with it instead, and with what lies in its socket.
    func drain(until end: MonotonicTime) {
        try? slowPoller.remove(stop.descriptor.number)
        try? poller.remove(listener.descriptor.number)
        if listener.withdraw() {
            while let socket = try? listener.accept() { adopt(socket) }
            listener.refuse()
        }
        slots.removeLimit()
        var buffer = Arrival.buffer()
        while openConnections > 0, .now < end {
            releaseIdle()
            lookAfterPeers(atMost: 5, &buffer)
            sweep()
        }
    }

    func releaseIdle() {
        for (number, _) in connections.all(where: \.isIdle) where !handOver(number) { _ = closeIfQuiet(number) }
    }

    /// The poller is told, since it goes on watching what another process keeps open. A keeper that has failed once is not
    /// asked again.
    private func handOver(_ number: Int32) -> Bool {
        guard let keeper, !hasLostKeeper.load(ordering: .relaxed),
            connections.take(number, where: \.isIdle) != nil
        else { return false }
        try? poller.remove(number)
        let isKept = keeper(number)
        if !isKept { hasLostKeeper.store(true, ordering: .relaxed) }
        wait(for: isKept ? nil : .request, on: FileDescriptor(takingOwnership: number))
        return isKept
    }
}

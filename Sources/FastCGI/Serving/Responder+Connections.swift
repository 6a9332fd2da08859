package import POSIX
import Synchronization

// MARK: - Coming in

extension Responder {
    /// The next waiting connection: one for each event, for the poller reports the listener until none waits.
    func acceptConnection() -> FileDescriptor? {
        do throws(POSIXError) {
            guard let socket = try listener.accept() else { return nil }
            return admit(socket)
        } catch {
            // It would be reported again at once, and for nothing, until there are descriptors or memory again.
            try? poller.remove(listener.descriptor.number)
            isAcceptingPaused.store(true, ordering: .relaxed)
            report(.acceptFailed(error))
            return nil
        }
    }

    /// Takes over a connection that was accepted elsewhere; false if it is of no use, or one too many. May be called from any
    /// thread.
    ///
    /// - Parameter isOwn: this process is at the other end, too: such a connection is let in whatever the limit.
    @discardableResult
    package func adopt(_ socket: consuming FileDescriptor, isOwn: Bool = false) -> Bool {
        guard let socket = admit(socket, isOwn: isOwn) else { return false }
        return wait(for: .request, on: socket, isNew: true)
    }

    /// Counts a connection. One too many takes the place of the one that has been idle longest, or is closed if there is none.
    private func admit(_ socket: consuming FileDescriptor, isOwn: Bool = false) -> FileDescriptor? {
        if open.add(1, ordering: .relaxed).newValue > limits.connections, !isOwn {
            report(.tooManyConnections)
            // One that has come to rest just now may not be watched yet.
            let latest = MonotonicTime.now + limits.idleFor + .milliseconds(-50)
            let idle = waiting.numbers { $0.waiting.isIdle && $0.deadline <= latest }
            guard idle.prefix(16).contains(where: { closeIfQuiet($0) }) else {
                close(socket)
                return nil
            }
        }
        return socket
    }
}

// MARK: - Between events

extension Responder {
    /// Lets a connection wait. False if it cannot be watched, and then it is closed.
    ///
    /// - Parameter isNew: the workers' poller does not know it yet.
    @discardableResult
    func wait(for what: Waiting, on socket: consuming FileDescriptor, isNew: Bool = false) -> Bool {
        if case .close = what { socket.shutDownWriting() }
        let number = socket.release()
        waiting.put(number, what, until: .now + what.patience(limits))
        do throws(POSIXError) {
            if !what.isIdle {
                try slowPoller.add(number, what.interest)
            } else if isNew || (try? poller.set(number, .readableOnce)) == nil {
                try poller.add(number, .readableOnce)
            }
            return true
        } catch {
            if waiting.take(number, where: { _ in true }) != nil { close(FileDescriptor(takingOwnership: number)) }
            return false
        }
    }

    /// Does what follows an answer.
    func end(_ socket: consuming FileDescriptor, by ending: Ending, isNew: Bool) {
        switch ending {
        case .keep: wait(for: .request, on: socket, isNew: isNew)
        case .close: close(socket)
        case .linger: wait(for: .close, on: socket)
        }
    }

    /// - Parameter isClosed: libfcgi has closed the descriptor.
    func close(_ socket: consuming FileDescriptor, isClosed: Bool = false) {
        if isClosed { _ = socket.release() } else { _ = consume socket }
        open.subtract(1, ordering: .relaxed)
    }

    /// Closes an idle connection, unless a request has just arrived on it.
    private func closeIfQuiet(_ number: Int32) -> Bool {
        guard waiting.take(number, where: \.waiting.isIdle) != nil else { return false }
        let socket = FileDescriptor(takingOwnership: number)
        if socket.waitUntilReadable(milliseconds: 0) {
            wait(for: .request, on: socket)
            return false
        }
        close(socket)
        return true
    }
}

// MARK: - Slow peers and late ones

extension Responder {
    func lookAfterPeersUntilShutdown() {
        var buffer = [UInt8](repeating: 0, count: Arrival.usualLength)
        var sweepAt = MonotonicTime.now + limits.sweepEvery
        while !stop.wait(milliseconds: 0) {
            lookAfterPeers(atMost: sweepAt.millisecondsLeft, &buffer)
            guard sweepAt <= .now else { continue }
            sweep()
            sweepAt = .now + limits.sweepEvery
        }
    }

    /// Goes on with a slow peer's connection when the peer has done something, or after some time.
    func lookAfterPeers(atMost milliseconds: Int32, _ buffer: inout [UInt8]) {
        guard let number = try? slowPoller.wait(milliseconds: milliseconds),
            let entry = waiting.take(number, where: { !$0.waiting.isIdle })
        else { return }
        let socket = FileDescriptor(takingOwnership: number)
        guard let ending = proceed(entry.waiting, socket, &buffer) else {
            return waiting.put(socket.release(), entry.waiting, until: entry.deadline)
        }
        try? slowPoller.remove(number)
        end(socket, by: ending, isNew: false)
    }

    /// How it ends; nil if it goes on waiting.
    private func proceed(_ what: Waiting, _ socket: borrowing FileDescriptor, _ buffer: inout [UInt8]) -> Ending? {
        switch what {
        case .request: return .keep
        case .rest:
            // Whatever else there is: a worker sees to it.
            return (try? Arrival.look(at: socket, &buffer, limits)) == .incomplete ? nil : .keep
        case .reader(let answer):
            let transfer = answer.send(to: socket)
            return transfer == .wouldBlock ? nil : transfer == .ended ? .close : answer.ending
        case .close: return socket.receive(into: &buffer) == .ended ? .close : nil
        }
    }

    /// Closes what has waited long enough.
    func sweep(all: Bool = false) {
        let now = MonotonicTime.now
        for number in waiting.numbers(where: { all || $0.deadline <= now }) {
            if closeIfQuiet(number) { continue }
            guard let entry = waiting.take(number, where: { all || !$0.waiting.isIdle }) else { continue }
            if case .close = entry.waiting {} else { report(.expired) }
            close(FileDescriptor(takingOwnership: number))
        }
        if isAcceptingPaused.exchange(false, ordering: .relaxed) {
            try? poller.add(listener.descriptor.number, .readable)
        }
    }
}

// MARK: - Shutting down

extension Responder {
    /// Takes in what waits at the listener, and closes each connection as it comes to rest. Where there is a keeper, the next
    /// process goes on with it instead, and with what has arrived of a request.
    func drain(until end: MonotonicTime) {
        try? slowPoller.remove(stop.descriptor.number)
        try? poller.remove(listener.descriptor.number)
        if listener.withdraw() {
            while let socket = try? listener.accept() { adopt(socket) }
            listener.refuse()
        }
        slots.open()
        var buffer = [UInt8](repeating: 0, count: Arrival.usualLength)
        while openConnections > 0, .now < end {
            for number in waiting.numbers(where: \.waiting.isUntouched) where !handOver(number) {
                _ = closeIfQuiet(number)
            }
            lookAfterPeers(atMost: 5, &buffer)
            sweep()
        }
        sweep(all: true)
    }

    /// Nothing of what has arrived on the connection has been taken. The pollers are told, since they go on watching what
    /// another process keeps open. A keeper that has failed once is not asked again.
    private func handOver(_ number: Int32) -> Bool {
        guard let keeper, !hasLostKeeper.load(ordering: .relaxed),
            waiting.take(number, where: \.waiting.isUntouched) != nil
        else { return false }
        try? poller.remove(number)
        try? slowPoller.remove(number)
        guard keeper(number) else {
            hasLostKeeper.store(true, ordering: .relaxed)
            wait(for: .request, on: FileDescriptor(takingOwnership: number))
            return false
        }
        close(FileDescriptor(takingOwnership: number))
        return true
    }
}

package import POSIX
import Synchronization

/// Serves FastCGI requests, each on one of a fixed number of threads.
///
/// A connection takes a thread only while a complete request of it is being answered. All others wait in one poller,
/// whatever they are doing: nothing, sending a request bit by bit, or not reading their answer.
package final class Responder: Sendable {
    /// Appends what goes back: a CGI header block, which ends in an empty line, and what follows it.
    package typealias Handler = @Sendable (borrowing Request, _ answer: inout [UInt8]) -> Void
    /// Keeps a copy of a connection open for the next process; false if it could not.
    package typealias Keeper = @Sendable (_ descriptor: Int32) -> Bool

    let listener: Listener
    let limits: Limits
    let handler: Handler
    let report: @Sendable (Fault) -> Void
    let workers: Int
    private let keeper: Keeper?

    let poller: Poller
    let ticker: Ticker
    let stop: EventFlag
    let connections: ConnectionTable
    let seats: Seats

    /// Workers that know of the shutdown.
    let drainingWorkers = Atomic(0)
    /// When the last connection is cut off, in monotonic milliseconds.
    let drainEnd = Atomic(Int64.max)
    /// The last attempt to accept failed for want of descriptors or memory.
    let mustRetryAccepting = Atomic(false)
    private let hasLostKeeper = Atomic(false)
    private let runningWorkers = Atomic(0)
    private let ended: EventFlag

    /// - Parameter keeper: gets each connection that rests when the responder shuts down, as soon as its last answer has
    ///   been written. Without one they are closed.
    package init(
        listener: consuming Listener, workers: Int, limits: Limits = .standard, keeper: Keeper? = nil,
        report: @escaping @Sendable (Fault) -> Void = { _ in }, handler: @escaping Handler
    ) throws(POSIXError) {
        precondition(workers > 0)
        let poller = try Poller()
        let ticker = try Ticker(every: limits.sweepEvery)
        let stop = try EventFlag()
        let ended = try EventFlag()
        try poller.add(listener.descriptor.number, .newlyReadable)
        try poller.add(ticker.descriptor.number, .newlyReadable)
        try poller.add(stop.descriptor.number, .newlyReadable)
        self.listener = listener
        self.workers = workers
        self.limits = limits
        self.keeper = keeper
        self.report = report
        self.handler = handler
        self.poller = poller
        self.ticker = ticker
        self.stop = stop
        self.ended = ended
        connections = ConnectionTable(limit: limits.connections)
        seats = Seats(min(workers, Processors.usable), for: workers)
    }

    package var openConnections: Int { connections.count }

    /// Where it listens; nil if the kernel does not say.
    package var address: SocketAddress? { try? SocketAddress(of: listener.descriptor) }

    /// Somebody else keeps the listening socket.
    package var isListenerInherited: Bool { listener.isInherited }

    /// How much of what it has is in use at this moment.
    package var load: Load {
        Load(
            openConnections: connections.count, mostConnections: limits.connections,
            busyWorkers: seats.busyWorkers, workers: workers)
    }

    /// Serves until `shutDown` is called, and returns when all requests under way have been answered, or after
    /// `Limits.drain`. A handler that takes longer than that is left behind on its thread.
    package func run() throws(POSIXError) {
        var threads: [Thread] = []
        for index in 0..<workers {
            runningWorkers.add(1, ordering: .relaxed)
            do throws(POSIXError) {
                threads.append(try Thread.spawn(name: "fastcgi-\(index)") { self.work(index) })
            } catch {
                leave()
                shutDown()
                throw error
            }
        }
        usher()
        seats.open()
        let patience = limits.drain + limits.sweepEvery
        if ended.wait(milliseconds: Int32(clamping: patience.wholeMilliseconds)) {
            for thread in threads { thread.join() }
        }
    }

    /// Stops accepting and lets `run` come to its end. May be called from any thread, and more than once.
    package func shutDown() {
        stop.raise()
    }

    /// Takes over a connection that somebody else has accepted; false if it is of no use, or one too many. May be called
    /// from any thread.
    ///
    /// - Parameter isOwn: this process is at the other end, too: such a connection is let in whatever the limit.
    @discardableResult
    package func adopt(_ socket: consuming FileDescriptor, isOwn: Bool = false) -> Bool {
        guard let connection = connections.admit(socket, isOwn: isOwn) else {
            report(.tooManyConnections)
            return false
        }
        let number = connection.number
        connection.interest = .newlyReadable
        connection.idleSince = .now
        // Before the poller knows of it nobody can recall it.
        _ = connection.park()
        if (try? poller.add(number, .newlyReadable)) != nil { return true }
        if connection.claim() { connections.dismiss(connection) }
        return false
    }

    /// Until the shutdown, calls workers in addition while those with a seat leave all news lying: a handler may be held up
    /// by what nobody foresaw, a slow disk for one. Who is called sees to one thing, so more are called each time.
    private func usher() {
        let patience = Int32(clamping: limits.unattendedFor.wholeMilliseconds)
        var called = 0
        while poller.waitForEvents(unless: stop) {
            let turns = seats.turns
            if stop.wait(milliseconds: patience) { return }
            let areStuck = poller.hasEvents && seats.turns - turns <= called
            called = areStuck ? min(workers, max(1, called * 2)) : 0
            for _ in 0..<called { seats.callInAddition() }
        }
    }

    private func work(_ index: Int) {
        Worker(index, of: self).run()
        leave()
    }

    private func leave() {
        if runningWorkers.subtract(1, ordering: .acquiringAndReleasing).newValue == 0 { ended.raise() }
    }
}

// MARK: - Handing over

extension Responder {
    /// Whether there is somebody to hand connections to. A keeper that has failed once is not waited for again.
    var mayHandOver: Bool { keeper != nil && !hasLostKeeper.load(ordering: .relaxed) }

    func handOver(_ descriptor: Int32) {
        if keeper?(descriptor) != true { hasLostKeeper.store(true, ordering: .relaxed) }
    }
}

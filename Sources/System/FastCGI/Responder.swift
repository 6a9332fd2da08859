package import POSIX
package import Sockets
import Synchronization

/// Serves FastCGI requests on a fixed number of worker threads.
///
/// Idle connections wait in one poller, and each event goes to one worker. The worker peeks at the socket. A complete
/// request is read by libfcgi and answered by the handler, and libfcgi writes the response. As many workers run as
/// there are processors; while one blocks, another one runs. The thread that called `run` serves all slow peers, closes
/// connections whose deadline has passed and, during shutdown, idle connections.
package final class Responder: Sendable {
    /// Appends the response: a CGI header block that ends with an empty line, and the body.
    package typealias Handler = @Sendable (borrowing Request, _ answer: inout [UInt8]) -> Void
    /// Stores a copy of a connection for the next process; false if that failed.
    package typealias Keeper = @Sendable (_ descriptor: Int32) -> Bool

    package let limits: Limits
    package let workers: Int
    let handler: Handler
    let report: @Sendable (Fault) -> Void
    package let listener: Listener
    let poller: Poller
    /// The connections that no worker holds.
    let connections = DescriptorTable<ConnectionState.Entry>()
    let slots: WorkerSlots
    /// Raised when the workers have to end.
    let quit: EventFlag

    let keeper: Keeper?
    let slowPoller: Poller
    /// Raised when the shutdown begins.
    let stop: EventFlag
    let suspension = SuspensionWatch()
    let openCount = Atomic(0)
    let unfinished = UnfinishedBytes()
    private let endedWorkers = Monitor(0)
    let isAcceptingPaused = Atomic(false)
    let hasLostKeeper = Atomic(false)

    /// - Parameter keeper: gets each idle connection at shutdown. Without a keeper idle connections are closed.
    package init(
        listener: consuming Listener, workers: Int, limits: Limits = .standard, keeper: Keeper? = nil,
        report: @escaping @Sendable (Fault) -> Void = { _ in }, handler: @escaping Handler
    ) throws(POSIXError) {
        precondition(workers > 0)
        self.listener = listener
        self.workers = workers
        self.limits = limits
        self.keeper = keeper
        self.report = report
        self.handler = handler
        slots = WorkerSlots(for: workers)
        poller = try Poller()
        slowPoller = try Poller()
        stop = try EventFlag()
        quit = try EventFlag()
        try poller.add(self.listener.descriptor.number, .readable)
        try poller.add(quit.descriptor.number, .readable)
        try slowPoller.add(stop.descriptor.number, .readable)
    }

    package var openConnections: Int { openCount.load(ordering: .relaxed) }
    /// The bytes that count against `Limits.unfinishedRequests`.
    package var unfinishedBytes: Int { unfinished.value }
    /// The number of workers that handle a request, including those that are blocked in a handler.
    package var busyWorkers: Int { slots.busyWorkers }

    /// Serves until `shutDown` is called. Returns when all running requests have been answered, or after
    /// `Limits.drain`. A handler that takes longer keeps running on its thread.
    package func run() throws(POSIXError) {
        var threads: [Thread] = []
        defer { quit.raise() }
        for index in 0..<workers {
            let thread = try Thread.spawn(name: "fastcgi-\(index)") {
                Worker(index, of: self).run()
                self.endedWorkers.change { $0 += 1 }
            }
            threads.append(thread)
        }
        var buffer = PeekedInput.buffer()
        var sweepAt = MonotonicTime.now
        while !stop.wait(milliseconds: 0) {
            serveSlowPeer(atMost: sweepAt.millisecondsLeft, &buffer)
            closeLargestUnfinished()
            guard sweepAt <= .now else { continue }
            sweepAt = .now + limits.sweepEvery
            suspension.tick()
            sweep()
        }
        let end = MonotonicTime.now + limits.drain
        drain(until: end)
        quit.raise()
        let timeout = Duration.milliseconds(end.millisecondsLeft)
        let haveAllEnded = endedWorkers.wait(atMost: timeout) { $0 == workers ? true : nil } != nil
        if haveAllEnded { for thread in threads { thread.join() } }
        // A worker may have accepted a connection just before it ended.
        releaseIdle()
        sweep(all: true)
    }

    /// Starts a graceful shutdown: stops accepting and lets `run` return. Any thread may call it, also repeatedly.
    package func shutDown() {
        stop.raise()
    }
}

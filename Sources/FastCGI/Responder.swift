package import POSIX
import Synchronization

/// Serves FastCGI requests, each on one of a fixed number of threads.
///
/// Idle connections wait in one poller, and each event goes to one worker. It looks at what lies in the socket: one whole
/// request is read by libfcgi, answered by the handler, and the answer is written by libfcgi. As many workers run as there are
/// processors; one that waits for the disk lets another one run. The thread that called `run` waits for all slow peers, closes
/// what has taken too long, and, at the shutdown, what is idle.
package final class Responder: Sendable {
    /// Appends what goes back: a CGI header block, which ends in an empty line, and what follows it.
    package typealias Handler = @Sendable (borrowing Request, _ answer: inout [UInt8]) -> Void
    /// Keeps a copy of a connection open for the next process; false if it could not.
    package typealias Keeper = @Sendable (_ descriptor: Int32) -> Bool

    package let limits: Limits
    package let workers: Int
    let handler: Handler
    let report: @Sendable (Fault) -> Void
    package let listener: Listener
    let poller: Poller
    /// Those that no worker holds.
    let connections = DescriptorTable<Waiting.Entry>()
    let slots: WorkerSlots
    /// Readable when the workers are to end.
    let quit: EventFlag

    let keeper: Keeper?
    let slowPoller: Poller
    /// Readable from the shutdown on.
    let stop: EventFlag
    let openCount = Atomic(0)
    private let endedWorkers = Monitor(0)
    let isAcceptingPaused = Atomic(false)
    let hasLostKeeper = Atomic(false)

    /// - Parameter keeper: gets each idle connection when the responder shuts down. Without one they are closed.
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
    /// Workers that handle a request, or wait for what its handler waits for.
    package var busyWorkers: Int { slots.busyWorkers }

    /// Serves until `shutDown` is called, and returns when all requests under way have been answered, or after
    /// `Limits.drain`. A handler that takes longer than that is left behind on its thread.
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
        var buffer = Arrival.buffer()
        var sweepAt = MonotonicTime.now
        while !stop.wait(milliseconds: 0) {
            lookAfterPeers(atMost: sweepAt.millisecondsLeft, &buffer)
            guard sweepAt <= .now else { continue }
            sweepAt = .now + limits.sweepEvery
            sweep()
        }
        let end = MonotonicTime.now + limits.drain
        drain(until: end)
        quit.raise()
        let haveEnded: ()? = endedWorkers.wait(atMost: .milliseconds(end.millisecondsLeft)) { $0 == workers ? () : nil }
        if haveEnded != nil { for thread in threads { thread.join() } }
        // What a worker accepted at the last moment.
        releaseIdle()
        sweep(all: true)
    }

    /// Stops accepting and lets `run` come to its end. May be called from any thread, and more than once.
    package func shutDown() {
        stop.raise()
    }
}

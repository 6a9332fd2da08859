import POSIX
import Synchronization

/// The place of one open connection, and of the next one under the same descriptor number after it.
///
/// Safe to share although it is mutable: whoever turns `phase` from anything to `held` is the only thread that touches
/// the rest, until it turns `phase` back. It does so with release order, and the next holder takes over with acquire order.
/// `phase`, `deadline` and `idleSince` are atomic because others look at them meanwhile.
final class Connection: @unchecked Sendable {
    enum Phase: UInt8, AtomicRepresentable {
        /// No connection is here.
        case vacant
        /// A thread is at work on it.
        case held
        /// A thread is at work on it, and the poller has told of news since it began.
        case recalled
        /// Nobody is at work on it; the poller will tell.
        case parked
    }

    /// What follows when everything has been sent.
    enum Ending { case keep, close, linger }

    private let phase = Atomic(Phase.vacant)
    private let deadlineMilliseconds = Atomic(Int64.max)
    private let idleSinceMilliseconds = Atomic(Int64.max)

    // The holder's alone.
    private var socket: FileDescriptor?
    /// What has come of a request that is not complete.
    var intake: Intake?
    /// When that request must be complete.
    var incompleteUntil: MonotonicTime?
    /// Bytes that came behind a request whose answer is still being sent.
    var unread: [UInt8] = []
    var outgoing: [UInt8] = []
    var sentCount = 0
    var ending = Ending.keep
    /// The last answer is sent; what still comes is read and forgotten.
    private(set) var isLingering = false
    /// What the poller was last told to watch for; nil before it knows the connection.
    var interest: Poller.Interest?
    /// The socket was left before it was empty.
    var mayHaveMore = false
}

// MARK: - The socket

extension Connection {
    var number: Int32 { socket?.number ?? -1 }

    func receive(into buffer: inout [UInt8]) -> Transfer {
        socket?.receive(into: &buffer) ?? .ended
    }

    func send(_ bytes: [UInt8], from offset: Int = 0) -> Transfer {
        socket?.send(bytes, from: offset) ?? .ended
    }

    /// Whether a read would not block: bytes have arrived, or the peer has closed.
    var hasSomethingToRead: Bool { socket?.waitUntilReadable(milliseconds: 0) ?? true }

    func beginLingering(until end: MonotonicTime) {
        isLingering = true
        unread = []
        deadline = end
        socket?.shutDownWriting()
    }
}

// MARK: - Holding

extension Connection {
    /// Takes a vacant place for a connection that was just accepted. Its number is free for the kernel to give only after
    /// the last holder has vacated the place, so nobody else can be here.
    func occupy(_ accepted: consuming FileDescriptor) {
        let previous = phase.exchange(.held, ordering: .acquiring)
        precondition(previous == .vacant)
        socket = consume accepted
    }

    /// For a thread that the poller told of news: whether it holds the connection now. If another one does, that one is
    /// recalled. News of an earlier connection with this number do no harm: there will be nothing to read.
    func notify() -> Bool {
        while true {
            switch phase.load(ordering: .relaxed) {
            case .parked: if claim() { return true }
            case .held: if recall() { return false }
            case .recalled, .vacant: return false
            }
        }
    }

    /// Takes hold of the connection if nobody holds it.
    func claim() -> Bool {
        phase.compareExchange(expected: .parked, desired: .held, ordering: .acquiring).exchanged
    }

    private func recall() -> Bool {
        phase.compareExchange(expected: .held, desired: .recalled, ordering: .relaxed).exchanged
    }

    /// Lets go; false if there were news in the meantime, and then the caller goes on holding it.
    func park() -> Bool {
        if phase.compareExchange(expected: .held, desired: .parked, ordering: .releasing).exchanged { return true }
        phase.store(.held, ordering: .relaxed)
        return false
    }

    /// Ends the connection. The place is vacant before its number can be given to another one.
    func vacate() {
        let closing = socket.take()
        intake = nil
        incompleteUntil = nil
        unread = []
        outgoing = []
        sentCount = 0
        ending = .keep
        isLingering = false
        interest = nil
        mayHaveMore = false
        deadline = nil
        idleSince = nil
        phase.store(.vacant, ordering: .releasing)
        _ = consume closing
    }

}

// MARK: - Looking

extension Connection {
    /// A hint for threads that do not hold the connection.
    var isParked: Bool { phase.load(ordering: .relaxed) == .parked }

    /// When the request or answer under way is given up; nil while there is none.
    var deadline: MonotonicTime? {
        get { Self.time(deadlineMilliseconds.load(ordering: .relaxed)) }
        set { deadlineMilliseconds.store(newValue?.milliseconds ?? .max, ordering: .relaxed) }
    }

    /// When the last request ended, or the connection was opened; nil while a request or an answer is under way.
    var idleSince: MonotonicTime? {
        get { Self.time(idleSinceMilliseconds.load(ordering: .relaxed)) }
        set { idleSinceMilliseconds.store(newValue?.milliseconds ?? .max, ordering: .relaxed) }
    }

    private static func time(_ milliseconds: Int64) -> MonotonicTime? {
        milliseconds == .max ? nil : MonotonicTime(milliseconds: milliseconds)
    }
}

import POSIX
import Sockets
import Synchronization

/// The event that a connection waits for while no worker holds it.
enum ConnectionState {
    /// The next request.
    case request
    /// The rest of a request. The received part has been read, because a peer may not send more until there is room. Nil
    /// if it is still in the socket.
    case restOfRequest(PartialRequest?)
    /// A free worker, for a complete request that has been read.
    case freeWorker(PartialRequest, PeekedInput.Body)
    /// The end of a request whose body is too large. The response is ready.
    indirect case endOfBody(RequestEnd, answer: UnsentFile, then: ConnectionState?)
    /// The peer has to read a large response. libfcgi has written it to memory, so that no worker waits for the peer.
    indirect case peerToRead(UnsentFile, then: ConnectionState?)
    /// The peer has to close. Further data is discarded: a reset could reach the peer before it has read the response.
    case peerToClose

    struct Entry {
        let state: ConnectionState
        let deadline: MonotonicTime

        /// No data of the next request has been read, and no data is left to be sent.
        var isIdle: Bool { if case .request = state { true } else { false } }
        var isForWorker: Bool { if case .freeWorker = state { true } else { isIdle } }
        var incompleteBytes: Int { if case .restOfRequest(let part) = state { part?.bytes.count ?? 0 } else { 0 } }
    }

    /// The event to watch for, and its timeout.
    func pollTerms(_ limits: Limits) -> (interest: Poller.Interest, timeout: Duration) {
        switch self {
        case .request: (.readableOnce, limits.idleFor)
        case .restOfRequest: (.readable, limits.incompleteFor)
        case .freeWorker: (.writableOnce, limits.drain)
        case .peerToRead: (.writable, limits.unreadFor)
        case .endOfBody, .peerToClose: (.readable, limits.lingerFor)
        }
    }
}

/// A table of open descriptors with an entry for each. A caller that takes an entry becomes the only
/// owner of its descriptor.
final class DescriptorTable<Entry: Sendable>: Sendable {
    /// A part of the table with a lock of its own, so that threads rarely wait for the same lock.
    private final class Shard: Sendable {
        let entries = Mutex<[Int32: Entry]>([:])
    }

    private let shards = (0..<16).map { _ in Shard() }

    private func shard(of number: Int32) -> Shard { shards[Int(number) % shards.count] }

    func put(_ number: Int32, _ entry: Entry) {
        shard(of: number).entries.withLock { $0[number] = entry }
    }

    /// Removes and returns an entry. Nil if there is none, or if the condition does not hold.
    func take(_ number: Int32, where isWanted: (Entry) -> Bool) -> Entry? {
        shard(of: number).entries.withLock { entries in
            guard let entry = entries[number], isWanted(entry) else { return nil }
            entries[number] = nil
            return entry
        }
    }

    /// The entries for which the condition holds. They stay in the table, so another thread may
    /// take them before the caller.
    func all(where isWanted: (Entry) -> Bool) -> [(number: Int32, entry: Entry)] {
        shards.flatMap { shard in
            shard.entries.withLock { entries in entries.filter { isWanted($1) }.map { ($0, $1) } }
        }
    }
}

/// The received part of a request that arrives in several parts. Its bytes are counted until this object is released,
/// so the count is right however the connection ends.
final class PartialRequest: Sendable {
    let bytes: [UInt8]
    private let count: UnfinishedBytes

    init(_ bytes: [UInt8], countedIn count: UnfinishedBytes) {
        (self.bytes, self.count) = (bytes, count)
        count.add(bytes.count)
    }

    deinit { count.add(-bytes.count) }
}

/// The sum of the bytes of all partial requests.
final class UnfinishedBytes: Sendable {
    private let sum = Atomic(0)

    var value: Int { sum.load(ordering: .relaxed) }

    fileprivate func add(_ count: Int) { sum.add(count, ordering: .relaxed) }
}

extension Responder {
    /// Closes the largest incomplete requests as long as all together exceed the limit: one large request must not
    /// displace many small ones. Complete requests that wait for a worker are counted, but never closed.
    func closeLargestUnfinished() {
        while unfinished.value > limits.unfinishedRequests {
            let largest = connections.all { $0.incompleteBytes > 0 }
                .max { $0.entry.incompleteBytes < $1.entry.incompleteBytes }
            guard let number = largest?.number, connections.take(number, where: { $0.incompleteBytes > 0 }) != nil
            else {
                return
            }
            try? slowPoller.remove(number)
            close(FileDescriptor(takingOwnership: number))
            report(.tooManyUnfinishedBytes)
        }
    }
}

/// Notices that the process was suspended, by a signal or together with its machine.
///
/// A request that waited in a socket during the suspension may have timed out: the web server has closed the connection
/// and sent the request to another node. Executed now, an old refresh would present a token whose successor is in use,
/// and end the session.
final class SuspensionWatch: Sendable {
    /// Longer than a busy machine delays a thread, shorter than a web server waits for an answer.
    private static let shortest: Int64 = 2000
    /// For how long after a suspension a request in a socket may be one that was sent before it.
    private static let doubtFor: Int64 = 10_000

    private let lastTick = Atomic(MonotonicTime.now.milliseconds)
    private let doubtUntil = Atomic<Int64>(0)

    /// Has to be called about once a second.
    func tick(at now: MonotonicTime = .now) {
        let last = lastTick.load(ordering: .relaxed)
        if now.milliseconds - last > Self.shortest {
            doubtUntil.store(now.milliseconds + Self.doubtFor, ordering: .relaxed)
        }
        lastTick.store(now.milliseconds, ordering: .releasing)
    }

    /// Whether a request may have waited during a suspension. True also before the first tick after it, since a worker may
    /// be the first thread to run.
    func isInDoubt(at now: MonotonicTime = .now) -> Bool {
        now.milliseconds - lastTick.load(ordering: .acquiring) > Self.shortest
            || now.milliseconds < doubtUntil.load(ordering: .relaxed)
    }
}

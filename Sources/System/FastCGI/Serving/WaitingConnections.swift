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

import POSIX
import Sockets

/// The event that a connection waits for while no worker holds it.
enum ConnectionState {
    /// The next request.
    case request
    /// The rest of a request. The received part has been read, because a peer may not send more until there is room.
    case restOfRequest([UInt8])
    /// A free worker, for a complete request that has been read.
    case freeWorker([UInt8], PeekedInput.Body)
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

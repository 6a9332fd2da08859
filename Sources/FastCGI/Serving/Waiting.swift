import POSIX

/// What a connection waits for, while no worker holds it.
enum Waiting {
    /// Its next request.
    case request
    /// The rest of a request, the beginning of which has been taken. A front need not send on before that is done.
    case restOfRequest([UInt8])
    /// A worker, for a request that was taken.
    case freeWorker([UInt8], Arrival.Body)
    /// The end of a request that is answered without its body.
    indirect case endOfBody(RequestEnd, answer: UnsentFile, then: Waiting?)
    /// That its peer reads a large answer. libfcgi wrote it into memory, so that no worker waits for the peer.
    indirect case peerToRead(UnsentFile, then: Waiting?)
    /// That its peer closes. What still comes is thrown away: a reset could reach the peer before it has read the answer.
    case peerToClose

    struct Entry {
        let waiting: Waiting
        let deadline: MonotonicTime

        /// Nothing that has arrived was taken, and nothing is left to be sent.
        var isIdle: Bool { if case .request = waiting { true } else { false } }
        var isForWorker: Bool { if case .freeWorker = waiting { true } else { isIdle } }
    }

    /// What the poller is to report, and how long the peer has for it.
    func terms(_ limits: Limits) -> (interest: Poller.Interest, patience: Duration) {
        switch self {
        case .request: (.readableOnce, limits.idleFor)
        case .restOfRequest: (.readable, limits.incompleteFor)
        case .freeWorker: (.writableOnce, limits.drain)
        case .peerToRead: (.writable, limits.unreadFor)
        case .endOfBody, .peerToClose: (.readable, limits.lingerFor)
        }
    }
}

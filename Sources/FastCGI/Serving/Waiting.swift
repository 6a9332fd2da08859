import POSIX

/// What a connection waits for, while no worker holds it.
enum Waiting {
    /// Its next request.
    case request
    /// The rest of a request, the beginning of which has been taken. A front need not send on before that is done.
    case rest(of: [UInt8])
    /// A worker, for a request that was taken.
    case worker([UInt8], Arrival.Body)
    /// The end of a request that is answered without its body.
    indirect case end(RequestEnd, answer: UnsentFile, then: Waiting?)
    /// That its peer reads an answer too large for the socket. libfcgi wrote it into memory, so that no worker waits for the peer.
    indirect case reader(UnsentFile, then: Waiting?)
    /// That its peer closes. The last answer is sent, and what still comes is thrown away: a peer that is still sending would
    /// otherwise be told of a reset before it has read the answer.
    case close

    struct Entry {
        let waiting: Waiting
        let deadline: MonotonicTime

        /// Nothing that has arrived was taken, and nothing is left to be sent.
        var isIdle: Bool { if case .request = waiting { true } else { false } }
        var isForWorker: Bool { if case .worker = waiting { true } else { isIdle } }
    }

    /// What the poller is to report, and how long the peer has for it.
    func terms(_ limits: Limits) -> (interest: Poller.Interest, patience: Duration) {
        switch self {
        case .request: (.readableOnce, limits.idleFor)
        case .rest: (.readable, limits.incompleteFor)
        case .worker: (.writableOnce, limits.drain)
        case .reader: (.writable, limits.unreadFor)
        case .end, .close: (.readable, limits.lingerFor)
        }
    }
}

import Synchronization

/// Records which generations of refresh tokens have reached their client: it has used an access token of that
/// generation. From then on, the previous refresh token is accepted only for `RefreshPolicy.reuseGrace`.
///
/// Every accepted access token passes `insert`, so that costs a hash and one atomic read. Maintenance writes the
/// confirmations to the store in batches. Those that a crash loses only let the previous token be used for longer.
final class Confirmations: Sendable {
    /// What maintenance has not written yet.
    private let waiting = Mutex<[SessionID: TokenConfirmation]>([:])
    /// Marks of the generations that were confirmed last, each in a slot by its hash. Where two share a slot, the later
    /// one replaces the mark, and the earlier one is written again at its next use, which changes nothing in the store.
    private let seen = InlineArray<65536, Atomic<Int>> { _ in Atomic(0) }

    private static let waitingLimit = 65_536
    /// The number of rows that one transaction changes, so that it does not delay other writes.
    private static let batchSize = 256

    /// Records that an access token of this generation was accepted. The first generation replaced no other, so it needs
    /// no confirmation.
    func insert(_ session: SessionID, generation: Int64, at moment: Timestamp) {
        guard generation > 1 else { return }
        var hasher = Hasher()
        hasher.combine(session)
        hasher.combine(generation)
        let mark = hasher.finalize()
        let slot = (mark & Int.max) % seen.count
        guard seen[slot].load(ordering: .relaxed) != mark else { return }
        let isKept = waiting.withLock { waiting in
            guard waiting.count < Self.waitingLimit else { return false }
            if waiting[session].map({ $0.generation < generation }) ?? true {
                waiting[session] = TokenConfirmation(sessionID: session, generation: generation, moment: moment)
            }
            return true
        }
        if isKept { seen[slot].store(mark, ordering: .relaxed) }
    }

    /// When the session's current generation was confirmed, as far as this process knows.
    func confirmation(of session: Session) -> Timestamp? {
        if let moment = session.confirmedAt { return moment }
        let known = waiting.withLock { $0[session.id] }
        return known?.generation == session.token.generation ? known?.moment : nil
    }

    /// Writes what waits. A confirmation stays visible until the store has it; after a failure it is tried again.
    func write(to store: any Store) throws(Refusal) {
        let all = waiting.withLock { Array($0.values) }
        for start in stride(from: 0, to: all.count, by: Self.batchSize) {
            let batch = Array(all[start..<min(start + Self.batchSize, all.count)])
            try store.confirm(batch)
            waiting.withLock { waiting in
                for written in batch where waiting[written.sessionID] == written {
                    waiting[written.sessionID] = nil
                }
            }
        }
    }
}

/// A client has used the tokens of this generation.
package struct TokenConfirmation: Sendable, Equatable {
    package let sessionID: SessionID
    package let generation: Int64
    package let moment: Timestamp

    package init(sessionID: SessionID, generation: Int64, moment: Timestamp) {
        (self.sessionID, self.generation, self.moment) = (sessionID, generation, moment)
    }
}

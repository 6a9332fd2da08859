import Synchronization

/// The rule by which a session's refresh token is rotated: a pure decision about the session's row and the token
/// presented. The store asks for it while no other write can change the row.
package enum Rotation: Sendable, Equatable {
    /// Issue the next generation.
    case advance
    /// The answer may have been lost, or two requests raced: return the same successor again.
    case repeatCurrent
    /// An old token was used although its successor had reached a client, so two parties hold the session: end it for
    /// both.
    case endForReuse
    case refuse(Refusal)

    /// - Parameters:
    ///   - confirmedAt: when a client first used the current generation; nil when none has.
    ///   - random: derives the random part of the session's token of a generation.
    package static func decide(
        _ session: Session, confirmedAt: Timestamp?, presented: PresentedToken, policy: RefreshPolicy, now: Timestamp,
        random: (_ generation: Int64, _ seed: [UInt8]) -> [UInt8], equal: ([UInt8], [UInt8]) -> Bool
    ) -> Rotation {
        guard session.userID == presented.userID else { return .refuse(.invalidRefreshToken) }
        if let reason = session.revokeReason, session.revokedAt != nil {
            return .refuse(reason == .reuse ? .refreshTokenReused : .refreshTokenRevoked)
        }
        guard now < session.token.expiresAt else { return .refuse(.refreshTokenExpired) }
        let current = session.token
        switch presented.generation {
        case current.generation:
            // Another hash means that the signing secret has leaked, but not the database. That is no reuse: with the
            // secret alone an attacker must not be able to end sessions.
            return equal(presented.hash, current.hash) ? .advance : .refuse(.invalidRefreshToken)
        case current.generation - 1:
            guard let previous = session.previousHash, equal(presented.hash, previous) else {
                return .refuse(.invalidRefreshToken)
            }
            // Also after the expiry of the previous token: its owner has refreshed in time and lost the answer.
            return now <= policy.lastRepeat(of: current, confirmedAt: confirmedAt) ? .repeatCurrent : .endForReuse
        case 1..<current.generation:
            if let chain = session.chain, policy.mayHaveRaced(presented, current, chain.burst, now: now),
                equal(presented.random, random(presented.generation, chain.seed))
            {
                return .repeatCurrent
            }
            // The hash of this generation is not kept, so an attacker with the signing secret can end the session here.
            // To refuse without ending it would let the thief of a real token go on.
            return .endForReuse
        default:
            return .refuse(.invalidRefreshToken)
        }
    }
}

extension RefreshPolicy {
    /// Until when the token before this one still gets this one.
    fileprivate func lastRepeat(of token: SessionToken, confirmedAt: Timestamp?) -> Timestamp {
        let limit = (lostAnswer.map { token.issuedAt + $0 } ?? token.expiresAt) + reuseGrace
        guard let confirmedAt, confirmedAt <= limit else { return limit }
        // The clock of the node that saw the confirmation may be behind that of the node that rotated.
        return max(confirmedAt, token.issuedAt) + reuseGrace
    }
}

extension RefreshPolicy {
    /// Whether a generation before the previous one was superseded within the grace, so that its request raced.
    ///
    /// The row has the exact time at which the burst's first generation was superseded. Each later generation was
    /// superseded within the grace after its issue, and the token has the time of its issue. So for a later generation
    /// this can be true for up to one grace too long: no client is signed out for that, and a theft is detected later.
    fileprivate func mayHaveRaced(
        _ presented: PresentedToken, _ current: SessionToken, _ burst: TokenChain.Burst?, now: Timestamp
    ) -> Bool {
        // All generations before the previous one were superseded before the previous one.
        guard now < current.issuedAt + reuseGrace, let burst else { return false }
        if presented.generation == burst.generation { return now < burst.supersededAt + reuseGrace }
        // A token tells its time in whole seconds.
        return presented.generation > burst.generation && now < presented.issuedAt + .seconds(1) + reuseGrace * 2
    }

    /// The burst after a rotation of this token.
    package func burst(_ burst: TokenChain.Burst?, afterRotating token: SessionToken, at now: Timestamp)
        -> TokenChain.Burst
    {
        if let burst, now < token.issuedAt + reuseGrace { return burst }
        return TokenChain.Burst(generation: token.generation, supersededAt: now)
    }
}

/// A refresh token with a valid signature: its claims and its SHA-256. It may have expired.
package struct PresentedToken: Sendable, Equatable {
    package let sessionID: SessionID
    package let userID: UserID
    package let generation: Int64
    package let random: [UInt8]
    package let issuedAt: Timestamp
    package let expiresAt: Timestamp
    package let hash: [UInt8]

    package init(
        sessionID: SessionID, userID: UserID, generation: Int64, random: [UInt8], issuedAt: Timestamp,
        expiresAt: Timestamp, hash: [UInt8]
    ) {
        self.sessionID = sessionID
        self.userID = userID
        self.generation = generation
        self.random = random
        self.issuedAt = issuedAt
        self.expiresAt = expiresAt
        self.hash = hash
    }
}

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
        self.sessionID = sessionID
        self.generation = generation
        self.moment = moment
    }
}

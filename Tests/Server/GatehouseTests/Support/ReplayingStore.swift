import Gatehouse
import Synchronization
import TestSupport
import Testing

/// A store of one user with one session, a clock and a random number generator, which runs
/// requests one query at a time.
///
/// Each step runs the real code of a request from its beginning. Queries of earlier steps get their recorded replies.
/// The next query is executed, and the run is suspended before its reply is delivered, so that other requests can
/// continue in between. This produces any order of events without threads.
final class ReplayingStore: Sendable {
    private struct State {
        var user: User?
        var session: Session?
        var now: Timestamp
        var generator: SeededGenerator
        /// The request that is running.
        var replay: RequestReplay?
        var storeFails = false
    }

    private let state: Mutex<State>

    init(now: Timestamp, seed: UInt64) {
        state = Mutex(State(now: now, generator: SeededGenerator(seed: seed)))
    }

    var session: Session? { state.withLock { $0.session } }

    func set(now: Timestamp) { state.withLock { $0.now = now } }

    var platform: Platform {
        Platform(
            now: { self.state.withLock { $0.replay?.startedAt ?? $0.now } },
            random: { count in
                self.state.withLock { state in
                    (0..<count).map { _ in UInt8.random(in: .min ... .max, using: &state.generator) }
                }
            },
            equal: { $0 == $1 })
    }

    /// Runs the next step of a request. Returns nil if the request is not finished.
    func step<Answer>(
        _ replay: inout RequestReplay, storeFails: Bool, _ request: () throws(Refusal) -> Answer
    ) -> Result<Answer, Refusal>? {
        replay.begin()
        state.withLock { [replay] state in
            (state.replay, state.generator, state.storeFails) = (replay, SeededGenerator(seed: replay.seed), storeFails)
        }
        let outcome = Result { () throws(Refusal) in try request() }
        replay = state.withLock { $0.replay.take() } ?? replay
        return replay.isSuspended ? nil : outcome
    }

    /// Executes a query, or returns its recorded reply. Outside of a request, executes it at once.
    private func execute(_ query: (inout State) -> RequestReplay.Reply) throws(Refusal) -> RequestReplay.Reply {
        let reply = state.withLock { state -> RequestReplay.Reply? in
            guard var replay = state.replay else { return query(&state) }
            defer { state.replay = replay }
            return replay.reply { state.storeFails ? .failure : query(&state) }
        }
        guard let reply else { throw .storageUnavailable(StoreFailure("suspended")) }
        if case .failure = reply { throw storageFailure }
        return reply
    }

    private func write(_ change: (inout Session) -> Bool) throws(Refusal) -> Bool {
        let reply = try execute { state in
            .done(
                state.session.map { session in
                    var session = session
                    defer { state.session = session }
                    return change(&session)
                } ?? false)
        }
        guard case .done(let isDone) = reply else { preconditionFailure("each run of a request has the same queries") }
        return isDone
    }
}

extension ReplayingStore: PartialStore {
    func session(_ id: SessionID) throws(Refusal) -> (session: Session, user: User)? {
        let reply = try execute { state in .session(state.session) }
        guard case .session(let found) = reply else {
            preconditionFailure("each run of a request has the same queries")
        }
        guard let found, found.id == id, let user = state.withLock({ $0.user }) else { return nil }
        return (found, user)
    }

    /// All requests run on one thread, so nothing comes between the decision and its write.
    func refresh(
        _ id: SessionID, now: Timestamp, by decide: @escaping (Session, User) -> RefreshDecision
    ) throws(Refusal) -> DecidedRefresh? {
        let (found, user) = state.withLock { state in (state.replay?.recordedSession ?? state.session, state.user) }
        guard let found, found.id == id, let user else { return nil }
        let decision = decide(found, user)
        _ = try execute { state in
            if let written = decision.written {
                #expect(state.session == found, "the session has not changed since the decision")
                state.session = written
            }
            return .session(found)
        }
        return DecidedRefresh(session: found, user: user, decision: decision)
    }

    func confirm(_ confirmations: [TokenConfirmation]) throws(Refusal) {
        state.withLock { state in for confirmation in confirmations { state.session?.confirm(confirmation) } }
    }

    func revoke(_ id: SessionID, for reason: RevokeReason, recording event: AuditEntry) throws(Refusal) -> Bool {
        try write { $0.id == id && $0.revoke(for: reason, now: event.moment) }
    }

    /// Read at the start of the service. No other process ends a session.
    func revocations(after place: Int64) throws(Refusal) -> [Revocation] {
        guard place < 1, let session, let moment = session.revokedAt else { return [] }
        return [Revocation(place: 1, moment: moment, subject: .session(session.id))]
    }

    // MARK: Login, which happens once

    func record(
        _: Login, limit: Int, by decide: @escaping (IdentityFacts) -> LoginDecision
    ) throws(Refusal) -> (decision: LoginDecision, ended: [EndedSession]) {
        let decision = decide(IdentityFacts())
        if case .accept(let login) = decision {
            state.withLock { ($0.user, $0.session) = (login.user, login.session) }
        }
        return (decision, [])
    }
}

import Gatehouse
import Synchronization
import TestSupport
import Testing

/// A store of one user with one session, a clock and dice, on which requests are played step by step.
///
/// Each step runs the real code from its beginning. What it asked in the steps before is answered as it was answered
/// then. Its next question is put to the row and takes effect, and the play is broken off before the answer arrives:
/// any other request may go on meanwhile, and this one may never. So every order of events can be had without a thread.
final class Stage: Sendable {
    private struct State {
        var user: User?
        var session: Session?
        var now: Timestamp
        var dice: SeededDice
        /// The request whose turn it is.
        var script: Script?
        var storeFails = false
    }

    private let state: Mutex<State>

    init(now: Timestamp, seed: UInt64) {
        state = Mutex(State(now: now, dice: SeededDice(seed: seed)))
    }

    var session: Session? { state.withLock { $0.session } }

    func set(now: Timestamp) { state.withLock { $0.now = now } }

    var world: World {
        World(
            now: { self.state.withLock { $0.script?.startedAt ?? $0.now } },
            random: { count in
                self.state.withLock { state in
                    (0..<count).map { _ in UInt8.random(in: .min ... .max, using: &state.dice) }
                }
            },
            equal: { $0 == $1 })
    }

    /// The next step of a request; nil where it has not come to its end with it.
    func play<Answer>(
        _ script: inout Script, storeFails: Bool, _ request: () throws(Refusal) -> Answer
    ) -> Result<Answer, Refusal>? {
        script.begin()
        state.withLock { [script] state in
            (state.script, state.dice, state.storeFails) = (script, SeededDice(seed: script.seed), storeFails)
        }
        let outcome = Result { () throws(Refusal) in try request() }
        script = state.withLock { $0.script.take() } ?? script
        return script.isBrokenOff ? nil : outcome
    }

    /// Outside of a play every question is answered at once.
    private func ask(_ question: (inout State) -> Script.Reply) throws(StoreFailure) -> Script.Reply {
        let reply = state.withLock { state -> Script.Reply? in
            guard var script = state.script else { return question(&state) }
            defer { state.script = script }
            return script.reply { state.storeFails ? .failure : question(&state) }
        }
        guard let reply else { throw StoreFailure("broken off") }
        if case .failure = reply { throw StoreFailure("the disk is gone") }
        return reply
    }

    private func write(_ change: (inout Session) -> Bool) throws(StoreFailure) -> Bool {
        let reply = try ask { state in
            .done(
                state.session.map { session in
                    var session = session
                    defer { state.session = session }
                    return change(&session)
                } ?? false)
        }
        guard case .done(let isDone) = reply else { preconditionFailure("a play asks the same each time") }
        return isDone
    }
}

extension Stage: PartialStore {
    func session(_ id: SessionID) throws(StoreFailure) -> (session: Session, user: User)? {
        let reply = try ask { state in .session(state.session) }
        guard case .session(let found) = reply else { preconditionFailure("a play asks the same each time") }
        guard let found, found.id == id, let user = state.withLock({ $0.user }) else { return nil }
        return (found, user)
    }

    /// A play goes on by one thread: nothing comes between the look and the change.
    func change(
        _ id: SessionID, now: Timestamp, by decide: @escaping (Session, User) -> SessionChange?
    ) throws(StoreFailure) -> (session: Session, user: User, change: SessionChange?)? {
        let (found, user) = state.withLock { state in (state.script?.foundBefore ?? state.session, state.user) }
        guard let found, found.id == id, let user else { return nil }
        let change = decide(found, user)
        _ = try ask { state in
            if let change { #expect(state.session?.make(change) == true, "what was decided on is what is there") }
            return .session(found)
        }
        return (found, user, change)
    }

    func revoke(_ id: SessionID, for reason: RevokeReason, noting event: AuditEvent) throws(StoreFailure) -> Bool {
        try write { $0.id == id && $0.revoke(for: reason, now: event.moment) }
    }

    /// What there is to know for a process that starts; nobody but it ends anything.
    func revocations(after place: Int64) throws(StoreFailure) -> [Revocation] {
        guard place < 1, let session, let moment = session.revokedAt else { return [] }
        return [Revocation(place: 1, moment: moment, subject: .session(session.id))]
    }

    // MARK: Signing in, which happens once

    func record(
        _ login: Login, limit: Int, opening session: @escaping (User?) -> NewSession
    ) throws(StoreFailure) -> LoginOutcome {
        let new = session(nil)
        state.withLock { ($0.user, $0.session) = (new.user, new.session) }
        return .recorded(new.user, ended: [])
    }
}

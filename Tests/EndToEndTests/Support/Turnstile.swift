import Synchronization
import TestSupport

/// Clients that show one token after another at the guard, as fast as they can, and note who was let in when.
final class Turnstile: Sendable {
    private struct State {
        var token = ""
        /// Whether somebody was told that the token is dead.
        var isDead = false
        var isOver = false
        var admitted = 0
        var refused = 0
        var wronglyAdmitted = 0
        var complaint: String?
    }

    private static let mostAsked = 1_000_000

    private let house: ServedHouse
    private let state = Mutex(State())

    init(_ house: ServedHouse) {
        self.house = house
    }

    /// Requests that were begun after their token was dead, and let in all the same.
    var wronglyAdmitted: Int { state.withLock { $0.wronglyAdmitted } }
    var complaint: String? { state.withLock { $0.complaint } }

    /// Has the clients show this token, until it has been let in some times.
    func show(_ token: String) -> Bool {
        state.withLock { state in
            (state.token, state.isDead, state.admitted) = (token, false, 0)
        }
        return Eventually.holds { state.withLock { $0.admitted >= 4 || $0.complaint != nil } }
    }

    /// From here on nobody may be let in with the token; waits until some have tried.
    func close() -> Bool {
        state.withLock { state in
            (state.isDead, state.refused) = (true, 0)
        }
        return Eventually.holds { state.withLock { $0.refused >= 8 || $0.complaint != nil } }
    }

    func end() { state.withLock { $0.isOver = true } }

    /// What each client does.
    func client() {
        do {
            let peer = try house.connect()
            for _ in 0..<Self.mostAsked {
                let (token, wasDead, isOver) = state.withLock { ($0.token, $0.isDead, $0.isOver) }
                guard !isOver else { return }
                let answer = try house.send(.get("/api/auth/verify", bearer: token), over: peer)
                state.withLock { note(answer.status, token: token, wasDead: wasDead, in: &$0) }
            }
        } catch {
            state.withLock { $0.complaint = "\(error)" }
        }
    }

    private func note(_ status: Int, token: String, wasDead: Bool, in state: inout State) {
        if wasDead, status == 204 { state.wronglyAdmitted += 1 }
        if ![204, 401, 403].contains(status) { state.complaint = "an answer of \(status)" }
        guard token == state.token else { return }
        if status == 204 { state.admitted += 1 } else if wasDead { state.refused += 1 }
    }
}

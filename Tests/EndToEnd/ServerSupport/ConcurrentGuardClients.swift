import Synchronization
import TestSupport

/// Clients that send verify requests with the current token in a loop and count which were accepted when.
final class ConcurrentGuardClients: Sendable {
    private struct State {
        var token = ""
        /// Whether the token has been revoked.
        var isRevoked = false
        var isStopped = false
        var accepted = 0
        var refused = 0
        var acceptedAfterRevocation = 0
        var failure: String?
    }

    private static let maximumRequests = 1_000_000

    private let server: ServerProcess
    private let state = Mutex(State())

    init(_ server: ServerProcess) {
        self.server = server
    }

    /// Requests that started after the token was revoked and were accepted.
    var acceptedAfterRevocation: Int { state.withLock { $0.acceptedAfterRevocation } }
    var failure: String? { state.withLock { $0.failure } }

    /// Sets the token and waits until it has been accepted several times.
    func present(_ token: String) -> Bool {
        state.withLock { state in
            (state.token, state.isRevoked, state.accepted) = (token, false, 0)
        }
        return Eventually.holds { state.withLock { $0.accepted >= 4 || $0.failure != nil } }
    }

    /// From now on the token must be refused. Waits until several requests have been made.
    func expectRefusals() -> Bool {
        state.withLock { state in
            (state.isRevoked, state.refused) = (true, 0)
        }
        return Eventually.holds { state.withLock { $0.refused >= 8 || $0.failure != nil } }
    }

    func stop() { state.withLock { $0.isStopped = true } }

    /// The loop of one client.
    func run() {
        do {
            let peer = try server.connect()
            for _ in 0..<Self.maximumRequests {
                let (token, wasRevoked, isStopped) = state.withLock { ($0.token, $0.isRevoked, $0.isStopped) }
                guard !isStopped else { return }
                let response = try peer.exchange(.get("/api/auth/verify", bearer: token))
                state.withLock { record(response.status, token: token, wasRevoked: wasRevoked, in: &$0) }
            }
        } catch {
            state.withLock { $0.failure = "\(error)" }
        }
    }

    private func record(_ status: Int, token: String, wasRevoked: Bool, in state: inout State) {
        if wasRevoked, status == 204 { state.acceptedAfterRevocation += 1 }
        if ![204, 401, 403].contains(status) { state.failure = "unexpected status \(status)" }
        guard token == state.token else { return }
        if status == 204 { state.accepted += 1 } else if wasRevoked { state.refused += 1 }
    }
}

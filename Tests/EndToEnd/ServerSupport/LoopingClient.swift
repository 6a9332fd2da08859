import Foundation
import Synchronization
import TestSupport

/// A client on its own thread that logs in and then repeats a guarded request, a request for the profile and a
/// refresh. It records failed requests.
final class LoopingClient: Sendable {
    private let server: any TestServer
    private let state = Mutex(State())

    private struct State {
        var rounds = 0
        var failures: [String] = []
        var isStopped = false
        var hasEnded = false
    }

    /// Bounds the loop in case the test does not stop the client.
    private static let maximumRounds = 2000

    init(_ server: any TestServer, _ email: String) {
        self.server = server
        Thread.detachNewThread { [self] in
            run(email)
            state.withLock { $0.hasEnded = true }
        }
    }

    /// Waits for this many complete rounds. False if the client has given up.
    func completesRounds(_ times: Int) -> Bool {
        // The current round may have started before this call.
        let goal = state.withLock { $0.rounds } + 1 + times
        return Eventually.holds { state.withLock { $0.rounds >= goal || $0.hasEnded } }
            && state.withLock { $0.rounds >= goal }
    }

    /// Stops the client and returns its failures.
    func stop() -> [String] {
        state.withLock { $0.isStopped = true }
        _ = Eventually.holds { state.withLock { $0.hasEnded } }
        return state.withLock { $0.failures }
    }

    private func run(_ email: String) {
        guard var tokens = ask({ try $0.devLogin(email) }) else { return }
        for _ in 0..<Self.maximumRounds where !state.withLock({ $0.isStopped }) {
            let (access, refresh) = (tokens.accessToken, tokens.refreshToken)
            guard ask({ try $0.verify(access) }, 204) != nil, ask({ try $0.me(access) }) != nil,
                let next = ask({ try $0.refresh(refresh) })
            else { return }
            tokens = next
            state.withLock { $0.rounds += 1 }
        }
    }

    /// The response, if it has this status.
    private func ask(_ body: (any TestServer) throws -> TestResponse, _ status: Int = 200) -> TestResponse? {
        let response = try? body(server)
        if response?.status == status { return response }
        state.withLock { $0.failures.append(response.map { "\($0.status) \($0.code ?? "")" } ?? "no response") }
        return nil
    }
}

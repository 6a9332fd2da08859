import Foundation
import Synchronization
import TestSupport

/// A signed-in client that passes the guard, asks who it is and refreshes, again and again, on a thread of its own. Where it gets no
/// answer it sends the same again, as an app does; what it was refused, it remembers.
final class RestlessClient: Sendable {
    private let house: any House
    private let takesNoAnswer: Bool
    private let state = Mutex(State())

    private struct State {
        var rounds = 0
        var refusals: [String] = []
        var isOver = false
        var hasEnded = false
    }

    /// More than any test needs: a client that nobody stops does not go on for ever.
    private static let mostRounds = 2000

    /// - Parameter takesNoAnswer: where nothing may go wrong at all, a request without an answer is a refusal, too.
    init(_ house: any House, _ email: String, takesNoAnswer: Bool = true) {
        self.house = house
        self.takesNoAnswer = takesNoAnswer
        Thread.detachNewThread { [self] in
            run(email)
            state.withLock { $0.hasEnded = true }
        }
    }

    /// Waits until it has gone round that many times more from beginning to end. False where it has given up.
    func goesRound(_ times: Int) -> Bool {
        // On the round that it is on, it may be given what was made before this.
        let goal = state.withLock { $0.rounds } + 1 + times
        return Eventually.holds { state.withLock { $0.rounds >= goal || $0.hasEnded } }
            && state.withLock { $0.rounds >= goal }
    }

    /// Ends it. What it was refused.
    func stop() -> [String] {
        state.withLock { $0.isOver = true }
        _ = Eventually.holds { state.withLock { $0.hasEnded } }
        return state.withLock { $0.refusals }
    }

    private func run(_ email: String) {
        guard var tokens = ask({ try $0.devLogin(email) }) else { return }
        for _ in 0..<Self.mostRounds where !state.withLock({ $0.isOver }) {
            let (access, refresh) = (tokens.accessToken, tokens.refreshToken)
            guard ask({ try $0.verify(access) }, 204) != nil, ask({ try $0.me(access) }) != nil,
                let next = ask({ try $0.refresh(refresh) })
            else { return }
            tokens = next
            state.withLock { $0.rounds += 1 }
        }
    }

    /// The answer, if it is a good one.
    private func ask(_ question: (any House) throws -> Answer, _ status: Int = 200) -> Answer? {
        var answer: Answer?
        _ = Eventually.holds {
            answer = try? question(house)
            return answer != nil || !takesNoAnswer
        }
        if answer?.status == status { return answer }
        state.withLock { $0.refusals.append(answer.map { "\($0.status) \($0.code ?? "")" } ?? "no answer") }
        return nil
    }
}

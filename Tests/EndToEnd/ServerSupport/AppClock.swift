import Foundation
import GatehouseClient
import Synchronization

/// The clocks of the device. Time is moved by hand, and pauses between attempts are short.
final class AppClock: Sendable {
    private struct State {
        var offset = Duration.zero
        var skew = TimeInterval(0)
        var pauses: [Duration] = []
        var stoppedAt: ContinuousClock.Instant?
    }

    private let state = Mutex(State())

    /// Moves both clocks, as when the device was asleep.
    func advance(by duration: Duration) {
        state.withLock {
            $0.offset += duration
            $0.skew += duration / .seconds(1)
        }
    }

    /// Stops the clock that measures how long the client has paused.
    func stop() { state.withLock { $0.stoppedAt = .now } }

    /// Sets the device's clock wrong.
    func setWrong(by seconds: TimeInterval) { state.withLock { $0.skew += seconds } }

    /// How long the client has paused between attempts.
    var pauses: [Duration] { state.withLock { $0.pauses } }

    var clientClock: ClientClock {
        var clock = ClientClock()
        clock.now = { self.state.withLock { ($0.stoppedAt ?? .now).advanced(by: $0.offset) } }
        clock.date = { self.state.withLock { Date().addingTimeInterval($0.skew) } }
        clock.sleep = { duration in
            // Time limits are real, and longer than anything takes on a slow machine.
            if duration == .seconds(15) { return try await Task.sleep(for: .seconds(300)) }
            self.state.withLock { $0.pauses.append(duration) }
            try await Task.sleep(for: .milliseconds(10))
        }
        return clock
    }
}

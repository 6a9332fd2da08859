import Foundation

/// Waits for a condition, with a timeout that is longer than anything takes on a busy machine.
package enum Eventually {
    package static let limit: Double = 60

    /// - Parameter interval: seconds between the first two attempts. Later pauses are longer, up to a twentieth of a second,
    ///   since an attempt may start a program.
    package static func holds(
        within seconds: Double = limit, every interval: Double = 0.005, _ condition: () throws -> Bool
    ) rethrows -> Bool {
        let deadline = ContinuousClock.now + .seconds(seconds)
        var pause = interval
        while try !condition() {
            guard ContinuousClock.now < deadline else { return false }
            Thread.sleep(forTimeInterval: pause)
            pause = max(interval, min(pause * 1.5, 0.05))
        }
        return true
    }

    /// As `holds`, for tests whose threads must not block.
    package static func becomesTrue(
        every interval: Double = 0.005, _ condition: () async throws -> Bool
    ) async throws -> Bool {
        let deadline = ContinuousClock.now + .seconds(limit)
        while try await !condition() {
            guard ContinuousClock.now < deadline else { return false }
            try await Task.sleep(for: .seconds(interval))
        }
        return true
    }
}

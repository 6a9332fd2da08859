import Foundation

/// Waits for a condition, with a timeout that is longer than anything takes on a busy machine.
package enum Eventually {
    package static let limit: Double = 60

    /// - Parameter interval: seconds between two attempts.
    package static func holds(
        within seconds: Double = limit, every interval: Double = 0.005, _ condition: () throws -> Bool
    ) rethrows -> Bool {
        let deadline = ContinuousClock.now + .seconds(seconds)
        while try !condition() {
            guard ContinuousClock.now < deadline else { return false }
            Thread.sleep(forTimeInterval: interval)
        }
        return true
    }

    /// As `holds`, for tests whose threads must not block.
    package static func becomesTrue(_ condition: () async throws -> Bool) async throws -> Bool {
        let deadline = ContinuousClock.now + .seconds(limit)
        while try await !condition() {
            guard ContinuousClock.now < deadline else { return false }
            try await Task.sleep(for: .milliseconds(5))
        }
        return true
    }
}

import Foundation

/// Waits for a condition, with a timeout.
package enum Eventually {
    package static func holds(within seconds: Double = 20, _ condition: () -> Bool) -> Bool {
        let deadline = Date().addingTimeInterval(seconds)
        while !condition() {
            guard Date() < deadline else { return false }
            usleep(5000)
        }
        return true
    }
}

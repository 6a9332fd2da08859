import Foundation

/// Runs work on a thread of its own.
package final class Background: @unchecked Sendable {
    private let done = DispatchSemaphore(value: 0)
    private var value: [UInt8] = []

    package init(_ work: @escaping @Sendable () -> [UInt8]) {
        Thread.detachNewThread { [self] in
            value = work()
            done.signal()
        }
    }

    /// Waits for the result. Call it once.
    package func result() -> [UInt8] {
        done.wait()
        return value
    }
}

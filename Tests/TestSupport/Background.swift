import Foundation

/// Work on a thread of its own, whose outcome can be waited for.
package final class Background: @unchecked Sendable {
    private let done = DispatchSemaphore(value: 0)
    private var value: [UInt8] = []

    package init(_ work: @escaping @Sendable () -> [UInt8]) {
        Thread.detachNewThread { [self] in
            value = work()
            done.signal()
        }
    }

    /// To be asked once.
    package func result() -> [UInt8] {
        done.wait()
        return value
    }
}

import Dispatch
import Foundation

/// Runs the same work on several threads concurrently.
package enum Concurrently {
    /// Returns the results of all threads.
    package static func run<Result: Sendable>(
        _ count: Int, _ work: @escaping @Sendable (_ index: Int) throws -> Result
    ) throws -> [Result] {
        let start = DispatchSemaphore(value: 0)
        let outcomes = Outcomes<Result>()
        let threads = (0..<count).map { index in
            Thread {
                start.wait()
                outcomes.add(Swift.Result { try work(index) })
            }
        }
        for thread in threads { thread.start() }
        for _ in threads { start.signal() }
        return try outcomes.wait(for: count).map { try $0.get() }
    }
}

private final class Outcomes<Value: Sendable>: @unchecked Sendable {
    private let condition = NSCondition()
    private var all: [Result<Value, any Error>] = []

    func add(_ outcome: Result<Value, any Error>) {
        condition.lock()
        all.append(outcome)
        condition.signal()
        condition.unlock()
    }

    func wait(for count: Int) -> [Result<Value, any Error>] {
        condition.lock()
        defer { condition.unlock() }
        while all.count < count { condition.wait() }
        return all
    }
}

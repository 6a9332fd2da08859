import Synchronization

/// The progress of a long operation on a database. The operation sets the current step, and a display
/// reads it from another thread.
package final class Progress: Sendable {
    private struct Step {
        let name: String
        let unit: String
        let total: Int64?
        let done: @Sendable () -> Int64?
    }

    private let step = Mutex<Step?>(nil)

    package init() {}

    /// Begins a step of unknown size.
    func begin(_ name: String) {
        begin(name, unit: "", total: nil) { nil }
    }

    /// - Parameters:
    ///   - total: nil if it is not known.
    ///   - done: the completed amount. The display calls it on its own thread.
    package func begin(_ name: String, unit: String, total: Int64?, done: @escaping @Sendable () -> Int64?) {
        step.withLock { $0 = Step(name: name, unit: unit, total: total, done: done) }
    }

    /// The current step, such as "copying the database: 1200 of 4000 pages"; nil before the first.
    package var text: String? {
        guard let step = step.withLock({ $0 }) else { return nil }
        guard let done = step.done() else { return step.name }
        guard let total = step.total else { return "\(step.name): \(done) \(step.unit)" }
        return "\(step.name): \(min(done, total)) of \(total) \(step.unit)"
    }
}

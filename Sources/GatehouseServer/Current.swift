import POSIX
import Synchronization

/// The value that counts now, swapped whole. Taking it is a lock that nobody holds for longer than counting one up.
///
/// There is a copy for each processor, with a lock of its own: threads that take the same object at once fight for the
/// place where its references are counted, as they would for a lock.
final class Current<Value: AnyObject & Sendable>: Sendable {
    private final class Copy: Sendable {
        private let state: Mutex<Value>

        init(_ value: Value) {
            state = Mutex(value)
        }

        var value: Value { state.withLock { $0 } }

        func replace(by next: Value) {
            // The one before goes after the lock: taking it apart may take a while.
            _ = state.withLock { value in
                defer { value = next }
                return value
            }
        }
    }

    private let copies: [Copy]

    /// - Parameter make: called for each processor; what it makes must do the same.
    init(_ make: () -> Value) {
        copies = (0..<Processors.configured).map { _ in Copy(make()) }
    }

    var value: Value { copies[Processors.current % copies.count].value }

    /// When it returns, everybody takes the next one; until then, some the one before.
    func replace(_ make: () -> Value) {
        for copy in copies { copy.replace(by: make()) }
    }
}

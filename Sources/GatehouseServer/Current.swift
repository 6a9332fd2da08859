import Synchronization

/// The value that counts now, swapped whole. Taking it is a lock that nobody holds for longer than counting one up.
final class Current<Value: AnyObject & Sendable>: Sendable {
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

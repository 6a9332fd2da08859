import Gatehouse
import GatehouseWeb
import POSIX
import Synchronization

/// The services that are built from the settings. They are immutable: a reload builds new ones. A request uses the same
/// ones from its beginning to its end, so it never mixes old and new settings.
final class ConfiguredServices: Sendable {
    let auth: AuthService
    let router: Router

    init(auth: AuthService, router: Router) {
        self.auth = auth
        self.router = router
    }
}

/// A value that is replaced as a whole. Reading it holds a lock only while the reference is counted.
///
/// There is one copy with its own lock for each processor: threads that share one object contend for its reference
/// count as they would for a lock.
final class Current<Value: AnyObject & Sendable>: Sendable {
    private final class Copy: Sendable {
        private let state: Mutex<Value>

        init(_ value: Value) {
            state = Mutex(value)
        }

        var value: Value { state.withLock { $0 } }

        func replace(by next: Value) {
            // Returned, so that the old value is destroyed after the lock is released: that may take long.
            _ = state.withLock { value in
                defer { value = next }
                return value
            }
        }
    }

    private let copies: [Copy]

    /// - Parameter make: called once per processor. The values it returns must be equivalent.
    init(_ make: () -> Value) {
        copies = (0..<Processors.configured).map { _ in Copy(make()) }
    }

    var value: Value { copies[Processors.current % copies.count].value }

    /// When it returns, every thread gets the new value. Until then, some get the old one.
    func replace(_ make: () -> Value) {
        for copy in copies { copy.replace(by: make()) }
    }
}

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
        (self.auth, self.router) = (auth, router)
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

        /// Replaces the values of these copies while all of their locks are held. Returns the old values.
        static func replace(_ copies: ArraySlice<(copy: Copy, next: Value)>) -> [Value] {
            guard let (copy, next) = copies.first else { return [] }
            return copy.state.withLock { value in
                let others = replace(copies.dropFirst())
                defer { value = next }
                return others + [value]
            }
        }
    }

    private let copies: [Copy]

    /// - Parameter make: called once per processor. The values it returns must be equivalent.
    init(_ make: () -> Value) {
        copies = (0..<Processors.configured).map { _ in Copy(make()) }
    }

    var value: Value { copies[Processors.current % copies.count].value }

    /// All threads get the new value from one moment on: a token that one of them signs with a new key would be refused by
    /// another one that has the old settings.
    func replace(_ make: () -> Value) {
        let next = copies.map { (copy: $0, next: make()) }
        // The old values are destroyed after the locks are released: that may take long.
        _ = Copy.replace(next[...])
    }
}

import Synchronization

/// A value that several threads change.
final class Shared<Value: Sendable>: Sendable {
    private let state: Mutex<Value>

    init(_ value: Value) {
        state = Mutex(value)
    }

    var value: Value { state.withLock { $0 } }

    func change<Result>(_ body: (inout sending Value) -> sending Result) -> sending Result { state.withLock(body) }
}

extension Shared<Int> {
    func increment() -> Int {
        change { number in
            number += 1
            return number
        }
    }
}

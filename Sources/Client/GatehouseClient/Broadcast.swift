import Foundation

/// Sends values to any number of streams. Equal values that follow each other are sent once.
final class Broadcast<Value: Sendable & Equatable>: Sendable {
    private struct State {
        var latest: Value?
        var streams: [UUID: AsyncStream<Value>.Continuation] = [:]
    }

    private let state: Locked<State>

    private let repeatsLatest: Bool

    /// - Parameters:
    ///   - latest: the value before the first one that is sent.
    ///   - repeatsLatest: whether a new stream begins with the latest value.
    init(latest: Value? = nil, repeatsLatest: Bool = true) {
        state = Locked(State(latest: latest))
        self.repeatsLatest = repeatsLatest
    }

    var latest: Value? { state.withLock { $0.latest } }

    func stream() -> AsyncStream<Value> {
        let (stream, continuation) = AsyncStream.makeStream(of: Value.self)
        let id = UUID()
        continuation.onTermination = { [weak self] _ in
            self?.state.withLock { $0.streams[id] = nil }
        }
        state.withLock {
            if repeatsLatest, let latest = $0.latest { continuation.yield(latest) }
            $0.streams[id] = continuation
        }
        return stream
    }

    func send(_ value: Value) {
        state.withLock { state in
            guard state.latest != value else { return }
            state.latest = value
            for stream in state.streams.values { stream.yield(value) }
        }
    }

    deinit {
        state.withLock { state in
            for stream in state.streams.values { stream.finish() }
        }
    }
}

/// A value behind a lock. `Mutex` of the standard library needs iOS 18.
///
/// Unchecked: the lock guards each access to the value.
final class Locked<Value>: @unchecked Sendable {
    private let lock = NSLock()
    private var value: Value

    init(_ value: sending Value) { self.value = value }

    func withLock<Result>(_ body: (inout Value) -> sending Result) -> sending Result {
        lock.lock()
        defer { lock.unlock() }
        return body(&value)
    }
}

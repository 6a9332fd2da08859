import Gatehouse
import IdentityProviders
import Synchronization

/// A storage in memory, which can be made to fail.
final class InMemoryKeySetStorage: KeySetStorage {
    private let state = Mutex(State())

    private struct State {
        var keySets: [String: Document] = [:]
        var writes = 0
        var fails = false
    }

    var writes: Int { state.withLock { $0.writes } }
    var names: [String] { state.withLock { $0.keySets.keys.sorted() } }
    var fails: Bool {
        get { state.withLock { $0.fails } }
        set { state.withLock { $0.fails = newValue } }
    }

    func load(_ name: String) -> Document? {
        state.withLock { $0.fails ? nil : $0.keySets[name] }
    }

    @discardableResult
    func save(_ keySet: Document, as name: String) -> Bool {
        state.withLock { state in
            guard !state.fails else { return false }
            state.keySets[name] = keySet
            state.writes += 1
            return true
        }
    }
}

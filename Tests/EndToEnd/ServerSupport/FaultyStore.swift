import Foundation
import GatehouseClient
import Synchronization

/// A store that fails when a test wants it to.
final class FaultyStore: SessionStore {
    private let state = Mutex(
        (contents: Data?.none, load: StoreUnavailable?.none, save: StoreUnavailable?.none, saves: 0))

    init(_ contents: Data? = nil) { state.withLock { $0.contents = contents } }

    var contents: Data? { state.withLock { $0.contents } }
    /// Number of saves that succeeded.
    var saves: Int { state.withLock { $0.saves } }

    /// As a save of another process does.
    func replace(_ contents: Data?) { state.withLock { $0.contents = contents } }

    func fail(load: StoreUnavailable? = nil, save: StoreUnavailable? = nil) {
        state.withLock { ($0.load, $0.save) = (load, save) }
    }

    func load() throws(StoreUnavailable) -> Data? {
        try state.withLock { state throws(StoreUnavailable) in
            if let failure = state.load { throw failure }
            return state.contents
        }
    }

    func save(_ contents: Data?) throws(StoreUnavailable) {
        try state.withLock { state throws(StoreUnavailable) in
            if let failure = state.save { throw failure }
            state.contents = contents
            state.saves += 1
        }
    }
}

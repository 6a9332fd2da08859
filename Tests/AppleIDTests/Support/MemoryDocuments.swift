import Gatehouse
import Synchronization

/// A store of documents that lasts as long as the test, and can be told to fail.
final class MemoryDocuments: DocumentStore {
    private let state = Mutex(State())

    private struct State {
        var documents: [String: Document] = [:]
        var writes = 0
        var fails = false
    }

    var writes: Int { state.withLock { $0.writes } }
    var names: [String] { state.withLock { $0.documents.keys.sorted() } }
    var fails: Bool {
        get { state.withLock { $0.fails } }
        set { state.withLock { $0.fails = newValue } }
    }

    func document(_ name: String) throws(StoreFailure) -> Document? {
        let (document, fails) = state.withLock { ($0.documents[name], $0.fails) }
        if fails { throw StoreFailure("the test says so") }
        return document
    }

    func keep(_ document: Document, as name: String) throws(StoreFailure) {
        let fails = state.withLock { state in
            if !state.fails {
                state.documents[name] = document
                state.writes += 1
            }
            return state.fails
        }
        if fails { throw StoreFailure("the test says so") }
    }
}

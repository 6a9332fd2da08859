import Gatehouse
import GatehouseStore
import IdentityProviders

/// Keeps Apple's key set among the documents of the store.
struct StoredKeySets: KeySetStorage {
    let store: any ServerStore
    let log: Log

    func load(_ name: String) -> SavedKeySet? {
        do throws(StoreFailure) {
            return try store.document(name).map { SavedKeySet(content: $0.content, updatedAt: $0.updatedAt) }
        } catch {
            log.storeFailure(error)
            return nil
        }
    }

    func save(_ keySet: SavedKeySet, as name: String) -> Bool {
        do throws(StoreFailure) {
            try store.keep(Document(content: keySet.content, updatedAt: keySet.updatedAt), as: name)
            return true
        } catch {
            log.storeFailure(error)
            return false
        }
    }
}

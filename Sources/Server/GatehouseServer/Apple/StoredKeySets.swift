import Gatehouse
import GatehouseStore
import IdentityProviders

/// Keeps Apple's key set among the documents of the store.
struct StoredKeySets: KeySetStorage {
    let store: any ServerStore
    let log: Log

    func load(_ name: String) -> Document? {
        do throws(StoreFailure) {
            return try store.document(name)
        } catch {
            log.storeFailure(error)
            return nil
        }
    }

    func save(_ keySet: Document, as name: String) -> Bool {
        do throws(StoreFailure) {
            try store.keep(keySet, as: name)
            return true
        } catch {
            log.storeFailure(error)
            return false
        }
    }
}

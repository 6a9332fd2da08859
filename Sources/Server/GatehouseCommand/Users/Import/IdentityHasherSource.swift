import CommandLineTool
import Gatehouse
import GatehouseServer
import GatehouseStore
import GatehouseTokens

/// The refresh secret of the settings, which opens the keys of the identity hashes. It is read before root is given up.
struct IdentityHasherSource {
    private let ring: KeyRing?

    init() throws(CommandError) {
        let source = SettingSource.current()
        if let fault = source.closedFolder { throw CommandError(.usage, fault.description) }
        ring = try readSettings { () throws(SettingFaults) in try Configuration.refreshKeys(from: source) }
    }

    /// Recognises the identities that were removed from disabled users: with every key, since any of them may have been used.
    func hasher(of store: any ServerStore) throws -> any IdentityHasher {
        let reason = "the database has identities of disabled users, which only JWT_REFRESH_SECRET recognises"
        guard let ring else {
            throw CommandError(.usage, "\(reason): run the command with the settings of the server")
        }
        let document = try store.document(DocumentName.identityHashKeys)
        let hashes = IdentityHashes(document: document?.content ?? [], openedBy: ring)
        guard hashes.unopenedCount == 0 else {
            throw CommandError(
                .usage, "\(reason): the secrets of the settings do not open \(hashes.unopenedCount) of its keys")
        }
        return hashes
    }
}

import Gatehouse
import GatehouseStore
import GatehouseTokens
import POSIX

/// Seals anew with the current keys what the database keeps sealed, in small transactions beside a running server. A run
/// that was killed is finished by the next.
struct Resealing {
    /// How many values one transaction changes: a few milliseconds for which other writes wait.
    private static let batch = 50
    private static let pause = Duration.milliseconds(2)

    struct Outcome: Equatable {
        var accounts = 0
        var tasks = 0
        /// Values that no key of the settings opens, of accounts, of what waits for Apple, and keys of identity hashes.
        var unopenedAccounts = 0
        var unopenedTasks = 0
        var unopenedHashKeys = 0

        var resealed: Int { accounts + tasks }
        var unopenedValues: Int { unopenedAccounts + unopenedTasks }
        var unopened: Int { unopenedValues + unopenedHashKeys }
    }

    let store: SQLiteStore
    let vault: DataVault?
    /// What seals the keys of the identity hashes; nil where it is not set.
    let refreshKeys: KeyRing?

    /// - Parameter discards: removes what no key opens. It is counted as unopened all the same.
    func run(discards: Bool) throws(StoreFailure) -> Outcome {
        var outcome = Outcome()
        // An account that is deleted meanwhile hands its value over to a task, so tasks come second.
        (outcome.accounts, outcome.unopenedAccounts) = try walk(discards, from: "") { last throws(StoreFailure) in
            try store.sealedAccounts(after: last, notBeginningWith: head, limit: Self.batch)
        } next: {
            if case .account(let id) = $0 { id } else { "" }
        }
        (outcome.tasks, outcome.unopenedTasks) = try walk(discards, from: 0) { last throws(StoreFailure) in
            try store.sealedTasks(after: last, notBeginningWith: head, limit: Self.batch)
        } next: {
            if case .task(let id) = $0 { id } else { 0 }
        }
        outcome.unopenedHashKeys = try resealHashKeys(discards)
        return outcome
    }

    /// Without a key, every value is one that no key opens.
    private var head: [UInt8] { vault?.currentHead ?? [UInt8](repeating: 0, count: DataVault.headByteCount) }

    private func walk<Key>(
        _ discards: Bool, from start: Key, _ read: (Key) throws(StoreFailure) -> [SealedValue],
        next: (SealedValue.Place) -> Key
    ) throws(StoreFailure) -> (resealed: Int, unopened: Int) {
        var (last, resealed, unopened) = (start, 0, 0)
        while true {
            let values = try read(last)
            guard let end = values.last else { return (resealed, unopened) }
            let opened = values.map { (old: $0, new: reseal($0)) }
            let failed = opened.filter { $0.new == nil }
            resealed += try store.replace(opened.filter { $0.new != nil })
            // Without a key, none of the values is known to be lost.
            if discards, vault != nil { _ = try store.replace(failed) }
            unopened += failed.count
            last = next(end.place)
            Thread.pause(for: Self.pause)
        }
    }

    private func reseal(_ value: SealedValue) -> [UInt8]? {
        guard let vault, let secret = vault.open(value.content, for: value.owner) else { return nil }
        return vault.seal(secret, for: value.owner)
    }

    /// Returns how many of the keys of the identity hashes no secret opens.
    private func resealHashKeys(_ discards: Bool) throws(StoreFailure) -> Int {
        guard let refreshKeys, let document = try store.document(DocumentName.identityHashKeys) else { return 0 }
        let (new, unopened) = IdentityHashes.resealed(document.content, by: refreshKeys, discardingUnopened: discards)
        if let new { try store.replace(document, with: new, as: DocumentName.identityHashKeys) }
        return unopened
    }
}

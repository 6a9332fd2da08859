import CommandLineTool
import Gatehouse
import GatehouseStore
import GatehouseTokens
import JSON
import POSIX
import Processes

/// Seals the sealed values of the database again with the current keys, in small transactions while a server may be
/// running. Running it again finishes an interrupted run.
struct Resealing {
    /// Values per transaction. Other writes wait a few milliseconds for each transaction.
    private static let batchSize = 50
    private static let pause = Duration.milliseconds(2)

    struct Outcome: Equatable {
        var accounts = 0
        var tasks = 0
        /// Values that no key of the settings opens.
        var unopenedAccounts = 0
        var unopenedTasks = 0
        var unopenedHashKeys = 0

        var resealed: Int { accounts + tasks }
        var unopenedValues: Int { unopenedAccounts + unopenedTasks }
        var unopened: Int { unopenedValues + unopenedHashKeys }
    }

    let store: any ServerStore
    let vault: DataVault?
    /// The secrets that seal the keys of the identity hashes; nil if not set.
    let refreshKeys: KeyRing?

    /// - Parameter discards: removes values that no key opens. The outcome counts them as unopened.
    func run(discards: Bool) throws(StoreFailure) -> Outcome {
        var outcome = Outcome()
        // Tasks come second: deleting an account moves its value to a task.
        (outcome.accounts, outcome.unopenedAccounts) = try walk(discards, from: "") { last throws(StoreFailure) in
            try store.sealedAccounts(after: last, notBeginningWith: head, limit: Self.batchSize)
        } next: {
            if case .account(let id) = $0 { id } else { "" }
        }
        (outcome.tasks, outcome.unopenedTasks) = try walk(discards, from: 0) { last throws(StoreFailure) in
            try store.sealedTasks(after: last, notBeginningWith: head, limit: Self.batchSize)
        } next: {
            if case .task(let id) = $0 { id } else { 0 }
        }
        outcome.unopenedHashKeys = try resealHashKeys(discards)
        return outcome
    }

    /// Without a key this matches no value, so every value counts as unopened.
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
            // Without a key, it is unknown whether a value is lost.
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

    /// Returns the number of keys of the identity hashes that no secret opens.
    private func resealHashKeys(_ discards: Bool) throws(StoreFailure) -> Int {
        guard let refreshKeys, let document = try store.document(DocumentName.identityHashKeys) else { return 0 }
        let (new, unopened) = IdentityHashes.resealed(document.content, by: refreshKeys, discardingUnopened: discards)
        if let new { try store.replace(document, with: new, as: DocumentName.identityHashKeys) }
        return unopened
    }
}

/// The number of sealed values in the database for each data key, which the first bytes of a value identify.
struct SealedCounts {
    let counts: [(head: [UInt8], count: Int)]

    init(in database: any ExaminedDatabase) throws {
        counts = try database.sealedValues(byFirst: DataVault.headByteCount)
    }

    init(_ counts: [(head: [UInt8], count: Int)]) {
        self.counts = counts
    }

    /// The values sealed with the current key, with previous keys, and with keys that the vault does not have.
    func split(by vault: DataVault?) -> (current: Int, previous: Int, unknown: Int) {
        var result = (current: 0, previous: 0, unknown: 0)
        for (head, count) in counts {
            switch vault.flatMap({ $0.heads.firstIndex(of: head) }) {
            case 0?: result.current += count
            case .some: result.previous += count
            case nil: result.unknown += count
            }
        }
        return result
    }

    /// One object for each key.
    func json(_ vault: DataVault?) -> JSONValue {
        .array(
            counts.map { head, count in
                let place = vault.flatMap { $0.heads.firstIndex(of: head) }
                let state = place.map { $0 == 0 ? "current" : "previous" } ?? "unknown"
                return .object([
                    "id": .string(DataVault.keyID(ofHead: head)), "state": .string(state),
                    "values": .integer(Int64(count)),
                ])
            })
    }

    /// Counts by `DataKey.id` in the database that DATABASE_URL names. A child process counts, because it has to give
    /// up root for the owner of the database, while this process continues as root.
    static func ofDatabase() throws(CommandError) -> [String: Int] {
        let outcome: Subprocess.Outcome
        do throws(POSIXError) {
            outcome = try Subprocess.ofThisProgram(timeout: .seconds(600))
                .run(["keys", "reseal", "--dry-run", "--json"])
        } catch { throw CommandError(.failed, "\(error)") }
        let isCounted = outcome.status == ExitStatus.done.rawValue || outcome.status == ExitStatus.no.rawValue
        guard isCounted, let counts = counts(in: Array(outcome.output.utf8)) else {
            let reason = outcome.errorOutput.isEmpty ? "" : ": " + outcome.errorOutput
            throw CommandError(
                .failed, "the keys that the database needs could not be determined; nothing was changed\(reason)")
        }
        return counts
    }

    /// Parses the report of `keys reseal --dry-run --json`. Nil if any part is missing: a key that is not counted would
    /// seem not to be needed.
    static func counts(in report: [UInt8]) -> [String: Int]? {
        guard let keys = (try? JSONValue(parsing: report))?.object?["keys"]?.array else { return nil }
        var counts: [String: Int] = [:]
        for key in keys {
            guard let id = key.object?["id"]?.string, let values = key.object?["values"]?.integer else { return nil }
            counts[id, default: 0] += Int(values)
        }
        return counts
    }
}

extension IdentityHashes {
    /// Nil if there is no secret, or no stored key.
    static func stored(in database: any ExaminedDatabase, openedBy ring: KeyRing?) throws -> IdentityHashes? {
        guard let ring, let document = try database.document(DocumentName.identityHashKeys) else { return nil }
        return IdentityHashes(document: document.content, openedBy: ring)
    }
}

import FileSystem
import Gatehouse
import GatehouseServer
import GatehouseStore
import GatehouseTokens

/// Previous keys that are not needed any more. Their signatures are accepted while they are set.
struct PreviousKeysCheck: Check {
    let subject = "previous keys"
    let source: SettingSource

    func run() -> [Finding] {
        guard let lifetimes = try? Configuration.tokenLifetimes(from: source) else {
            return [.note("not checked: see configuration")]
        }
        if source.closedFolder != nil {
            return [.note("not checked: the secrets cannot be read", "sudo gatehouse check")]
        }
        var (findings, count): ([Finding], Int) = ([], 0)
        for key in RotatedKey.allCases {
            // The check of the configuration reports faults of these keys.
            guard let held = try? Configuration.previousKeys(of: key.previousSetting, key.form, from: source),
                !held.entries.isEmpty
            else { continue }
            count += held.entries.count
            guard let files = try? KeyFiles(ofPrevious: key, from: source), let previous = try? files.readPrevious()
            else {
                findings += evaluateWithoutFile(key)
                continue
            }
            let retirement = KeyRetirement(
                key: key, tokenLifetimes: lifetimes, now: Platform.system.now(),
                fileChangedAt: Timestamp(seconds: files.previousChangedAt()))
            findings += evaluate(previous, by: retirement)
        }
        guard findings.isEmpty else { return findings }
        return [.ok(count == 0 ? "none" : "\(count), each of them still needed")]
    }

    private func evaluateWithoutFile(_ key: RotatedKey) -> [Finding] {
        guard key != .dataKey else { return [] }
        let name = key.previousSetting
        return [
            .note(
                "\(name) holds keys, but not in a file of its own, so their age is unknown",
                "remove the keys that no token needs any more, or move them to a file and set \(name)_FILE to its path")
        ]
    }

    /// `SealedDataCheck` checks data keys, since the database tells whether they are needed.
    func evaluate(_ previous: KeyList, by retirement: KeyRetirement) -> [Finding] {
        let key = retirement.key
        guard key != .dataKey else { return [] }
        let unneeded = previous.entries.count { retirement.evaluate($0) == .notNeeded }
        let waiting = previous.entries.contains { entry in
            guard case .published(let moment) = entry.record else { return false }
            return moment + .seconds(86_400) < retirement.now
        }
        let old = Finding.note(
            "\(key.previousSetting) holds \(unneeded) \(unneeded == 1 ? "key" : "keys") that no token needs any more",
            "gatehouse keys retire \(key.rawValue)")
        let next = Finding.note(
            "\(key.previousSetting) has held the next key for more than a day, and it does not sign yet",
            "gatehouse keys rotate \(key.rawValue)")
        return (unneeded > 0 ? [old] : []) + (waiting ? [next] : [])
    }
}

/// Whether the settings have every key that the database needs. The first bytes of a sealed value identify its key, so
/// only the keys of the identity hashes are opened.
struct SealedDataCheck: Check {
    struct Facts: Equatable {
        /// The number of values, by the key that sealed them.
        var current = 0
        var previous = 0
        var unknown = 0
        var hasPreviousKeys = false
        var unopenedHashKeys = 0
        /// Whether the refresh secrets open at least one, or there are none.
        var refreshSecretFits = true
    }

    let subject = "sealed data"
    /// Nil if this user cannot read it.
    let database: (any ExaminedDatabase)?
    /// The outer nil: the settings cannot be read. The inner nil: DATA_KEY is not set.
    let vault: DataVault??
    let refreshKeys: KeyRing??

    func run() -> [Finding] {
        guard let vault, let refreshKeys else {
            return [.note("not checked: the keys cannot be read; see configuration")]
        }
        guard let database else { return [.note("not checked: no database that this user can read")] }
        var facts = Facts()
        do {
            (facts.current, facts.previous, facts.unknown) = try SealedCounts(in: database).split(by: vault)
            let hashes = try IdentityHashes.stored(in: database, openedBy: refreshKeys)
            facts.unopenedHashKeys = hashes?.unopenedCount ?? 0
            facts.refreshSecretFits = hashes?.fits ?? true
        } catch { return [.note("not checked: \(error)")] }
        facts.hasPreviousKeys = (vault?.heads.count ?? 0) > 1
        return evaluate(facts)
    }

    func evaluate(_ facts: Facts) -> [Finding] {
        let faults = evaluateUnknown(facts)
        guard faults.isEmpty else { return faults }
        if facts.previous > 0 {
            return [.note("\(facts.previous) values are sealed with a previous DATA_KEY", "gatehouse keys reseal")]
        }
        if facts.hasPreviousKeys {
            return [.note("no value needs DATA_KEY_PREVIOUS any more", "gatehouse keys retire data_key")]
        }
        return [
            .ok(
                facts.current == 0
                    ? "no value is sealed" : "\(facts.current) values, all sealed with the current DATA_KEY")
        ]
    }

    private func evaluateUnknown(_ facts: Facts) -> [Finding] {
        let advice = "restart, then gatehouse keys reseal; if the key is lost, gatehouse keys reseal --discard"
        let values = Finding.fault(
            "\(facts.unknown) values are sealed with an unknown key: Apple is not told when those accounts are deleted",
            "add the old key to data_key_previous, \(advice)")
        let hashes = Finding.fault(
            "\(facts.unopenedHashKeys) keys of identity hashes are sealed with an unknown secret: "
                + "users who were disabled and deleted may sign in again",
            "add the old secret to jwt_refresh_secret_previous, \(advice)")
        let misfit = Finding.fault(
            "\(facts.unopenedHashKeys) keys of identity hashes are sealed with an unknown secret, and none with "
                + "JWT_REFRESH_SECRET, which is not the one of this database: no server starts with it, because every user "
                + "would have to sign in again",
            "put the secret of this database into jwt_refresh_secret, for example from a backup; "
                + "if it is lost: gatehouse keys reseal --lost-secret, and every user signs in again")
        guard facts.refreshSecretFits else { return (facts.unknown > 0 ? [values] : []) + [misfit] }
        return (facts.unknown > 0 ? [values] : []) + (facts.unopenedHashKeys > 0 ? [hashes] : [])
    }
}

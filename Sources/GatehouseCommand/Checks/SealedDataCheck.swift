import Gatehouse
import GatehouseStore
import GatehouseTokens
import POSIX

/// Whether the settings have every key that the database needs. A key is known by the first bytes of what it sealed, so
/// nothing is opened but the few keys of the identity hashes.
struct SealedDataCheck: Check {
    struct Facts: Equatable {
        /// Values by the key that sealed them.
        var current = 0
        var previous = 0
        var unknown = 0
        var hasPreviousKeys = false
        var unopenedHashKeys = 0
    }

    let subject = "sealed data"
    let path: String
    /// Nil where the settings cannot be read; within, where DATA_KEY is not set.
    let vault: DataVault??
    let refreshKeys: KeyRing??

    func look() -> [Finding] {
        guard let vault, let refreshKeys else {
            return [.note("not looked at: the keys cannot be read; see configuration")]
        }
        guard File.isReadable(path) else { return [.note("not looked at: there is nothing that this user can read")] }
        var facts = Facts()
        do {
            (facts.current, facts.previous, facts.unknown) = try SealedCounts(at: path).split(by: vault)
            facts.unopenedHashKeys = try IdentityHashes.unopenedCount(at: path, refreshKeys)
        } catch { return [.note("not looked at: \(error)")] }
        facts.hasPreviousKeys = (vault?.heads.count ?? 0) > 1
        return judge(facts)
    }

    func judge(_ facts: Facts) -> [Finding] {
        let faults = judgeUnknown(facts)
        guard faults.isEmpty else { return faults }
        if facts.previous > 0 {
            return [.note("\(facts.previous) values are sealed with a previous DATA_KEY", "gatehouse keys reseal")]
        }
        if facts.hasPreviousKeys {
            return [.note("no value needs DATA_KEY_PREVIOUS any more", "gatehouse keys retire data_key")]
        }
        return [
            .ok(facts.current == 0 ? "nothing is sealed" : "\(facts.current) values, all with the current DATA_KEY")
        ]
    }

    private func judgeUnknown(_ facts: Facts) -> [Finding] {
        let advice = "restart and gatehouse keys reseal; where it is lost, gatehouse keys reseal --discard"
        let values = Finding.fault(
            "\(facts.unknown) values are sealed with a key that no setting has: Apple cannot be told of those accounts",
            "put the old key on a line of data_key_previous, \(advice)")
        let hashes = Finding.fault(
            "\(facts.unopenedHashKeys) keys of identity hashes are sealed with a secret that no setting has: "
                + "users who were disabled and deleted may sign in again",
            "put the old secret on a line of jwt_refresh_secret_previous, \(advice)")
        return (facts.unknown > 0 ? [values] : []) + (facts.unopenedHashKeys > 0 ? [hashes] : [])
    }
}

import Gatehouse
import GatehouseServer
import POSIX

/// Previous keys that were forgotten: what they sign is accepted for as long as they are there.
struct PreviousKeysCheck: Check {
    let subject = "previous keys"
    let source: SettingSource

    func look() -> [Finding] {
        guard let lifetimes = try? Configuration.tokenLifetimes(from: source) else {
            return [.note("not looked at: see configuration")]
        }
        if source.denial != nil { return [.note("not looked at: the secrets cannot be read", "sudo gatehouse check")] }
        var (findings, count): ([Finding], Int) = ([], 0)
        for key in RotatedKey.allCases {
            // A fault of these keys is one of the configuration.
            guard let held = try? Configuration.previousKeys(of: key.previousSetting, key.form, from: source),
                !held.entries.isEmpty
            else { continue }
            count += held.entries.count
            guard let files = try? KeyFiles(ofPrevious: key, from: source), let previous = try? files.readPrevious()
            else {
                findings += judgeWithoutFile(key)
                continue
            }
            let retirement = KeyRetirement(
                key: key, tokenLifetimes: lifetimes, now: World.real.now(),
                fileChangedAt: Timestamp(seconds: files.previousChangedAt()))
            findings += judge(previous, by: retirement)
        }
        guard findings.isEmpty else { return findings }
        return [.ok(count == 0 ? "none" : "\(count), each of them still needed")]
    }

    private func judgeWithoutFile(_ key: RotatedKey) -> [Finding] {
        guard key != .dataKey else { return [] }
        let name = key.previousSetting
        return [
            .note(
                "\(name) holds keys, but not in a file of its own: their age is not known",
                "remove those that no token needs any more, or put them into a file, and name it as \(name)_FILE")
        ]
    }

    /// One finding for a key, at most. Of a data key, the database knows whether it is needed: see `SealedDataCheck`.
    func judge(_ previous: KeyList, by retirement: KeyRetirement) -> [Finding] {
        let key = retirement.key
        guard key != .dataKey else { return [] }
        let over = previous.entries.count { retirement.judge($0) == .over }
        let waiting = previous.entries.contains { entry in
            guard case .published(let moment) = entry.record else { return false }
            return moment + .seconds(86_400) < retirement.now
        }
        let old = Finding.note(
            "\(key.previousSetting) holds \(over) \(over == 1 ? "key" : "keys") that no token needs any more",
            "gatehouse keys retire \(key.rawValue)")
        let next = Finding.note(
            "\(key.previousSetting) holds the next key for more than a day, and it does not sign yet",
            "gatehouse keys rotate \(key.rawValue)")
        return (over > 0 ? [old] : []) + (waiting ? [next] : [])
    }
}

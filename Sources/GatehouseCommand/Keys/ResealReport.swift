import GatehouseTokens
import JSON

/// What sealing anew came to, and what is to be done next.
struct ResealReport {
    let outcome: Resealing.Outcome
    /// As they are afterwards.
    let counts: SealedCounts
    let vault: DataVault?
    let isDiscarded: Bool

    var hasUnopened: Bool { outcome.unopened > 0 && !isDiscarded }

    var report: Report {
        Report(
            json: Self.json(outcome, outcome.unopened, counts.json(vault), isDiscarded: isDiscarded),
            text: lines.joined(separator: "\n"))
    }

    static func json(
        _ outcome: Resealing.Outcome, _ unopened: Int, _ keys: JSONValue, isDiscarded: Bool = false
    ) -> JSONValue {
        .object([
            "resealed": .integer(Int64(outcome.resealed)), "unopened": .integer(Int64(unopened)),
            "discarded": .bool(isDiscarded && unopened > 0), "keys": keys,
        ])
    }

    private var lines: [String] {
        let done =
            "sealed anew with the current DATA_KEY: \(outcome.accounts) tokens of accounts, \(outcome.tasks) waiting for Apple"
        return [done] + unopened + later
    }

    private var unopened: [String] {
        guard outcome.unopened > 0 else { return [] }
        let counts = outcome.unopenedText
        guard !isDiscarded else { return ["removed, since no key of the settings opens them: \(counts)"] }
        return [
            "no key of the settings opens: \(counts)",
            "put the key of that time back into DATA_KEY_PREVIOUS (of identity hashes: JWT_REFRESH_SECRET_PREVIOUS) and run "
                + "this again, or remove them: gatehouse keys reseal --discard",
        ]
    }

    private var later: [String] {
        let left = counts.split(by: vault).previous
        if left > 0 {
            return [
                "\(left) values were sealed with a previous key meanwhile: systemctl restart gatehouse, and run this again"
            ]
        }
        guard let vault, vault.heads.count > 1 else { return [] }
        return [
            "no value needs DATA_KEY_PREVIOUS any more: gatehouse keys retire data_key",
            "backups made until now still need it: keep a copy of it with them",
        ]
    }
}

extension Resealing.Outcome {
    /// How many values of which kind no key opens.
    var unopenedText: String {
        [
            (unopenedAccounts, "tokens of accounts"), (unopenedTasks, "waiting for Apple"),
            (unopenedHashKeys, "keys of identity hashes"),
        ].filter { $0.0 > 0 }.map { "\($0.0) \($0.1)" }.joined(separator: ", ")
    }
}

import Gatehouse
import GatehouseServer
import GatehouseStore
import GatehouseTokens
import JSON
import POSIX

/// Seals anew with the current DATA_KEY what previous ones have sealed.
struct KeysResealCommand: Command {
    let words = ["keys", "reseal"]
    let summary = "Seal anew with the current DATA_KEY what previous keys have sealed."
    let discussion = """
        Reads DATABASE_URL, DATA_KEY and DATA_KEY_PREVIOUS, and the same of JWT_REFRESH_SECRET, which seals the keys of the
        identity hashes. It changes Apple's refresh tokens and what waits to be asked of Apple, a few rows at a time, beside
        a server that may be running. A run that was killed is finished by the next.

        Exits 1 where the database has values that no key of the settings opens. Put the key of that time back into
        DATA_KEY_PREVIOUS (JWT_REFRESH_SECRET_PREVIOUS), or remove those values with --discard: then Apple cannot be told
        when one of those accounts is deleted, and users who were disabled and then deleted may sign in as new users.
        """
    let options = [
        Option(name: "--dry-run", value: nil, help: "count what each key has sealed, and change nothing"),
        Option(name: "--discard", value: nil, help: "remove values that no key opens; asks on a terminal"),
        Option(name: "--yes", value: nil, help: "ask no question"), .json,
    ]

    func run(_ input: Input) throws(CommandFault) -> ExitStatus {
        let source = SettingSource.current()
        if let denial = source.denial { throw CommandFault(.usage, denial.description) }
        let (vault, refreshKeys) = try ConfigurationFault.naming { () throws(SettingFaults) in
            (try Configuration.vault(from: source), try Configuration.refreshKeys(from: source))
        }
        if !input.has("--dry-run") { try demandRestart(source) }
        let owner = try DatabaseOwner.ofConfigured()
        try owner.takeOver()
        guard !input.has("--dry-run") else { return try count(vault, refreshKeys, at: owner.path, input) }
        if input.has("--discard") {
            try input.demandConfirmable("--discard removes values for good: without a terminal it demands --yes")
        }
        let outcome: Resealing.Outcome
        let counts: SealedCounts
        do {
            let store = try SQLiteStore(besideServerAt: owner.path)
            let resealing = Resealing(store: store, vault: vault, refreshKeys: refreshKeys)
            let first = try resealing.run(discards: false)
            outcome = input.has("--discard") ? try discard(first, by: resealing, input) : first
            counts = try SealedCounts(at: owner.path)
        } catch let fault as CommandFault { throw fault } catch { throw CommandFault(.failed, "\(error)") }
        let report = ResealReport(
            outcome: outcome, counts: counts, vault: vault, isDiscarded: input.has("--discard"))
        report.report.print(for: input)
        return report.hasUnopened ? .no : .done
    }

    /// Removes what the first run has not opened, and so has counted.
    private func discard(
        _ first: Resealing.Outcome, by resealing: Resealing, _ input: Input
    ) throws -> Resealing.Outcome {
        guard first.unopened > 0 else { return first }
        guard resealing.vault != nil || first.unopenedValues == 0 else {
            throw CommandFault(
                .usage,
                "DATA_KEY is not set: --discard would remove every sealed value. Set the key that the server has; "
                    + "where it is lost, a new one: gatehouse keys generate --alg HS256. Nothing was removed")
        }
        try input.confirm(
            "No key of the settings opens: \(first.unopenedText). An old key that is put into DATA_KEY_PREVIOUS (of "
                + "identity hashes: JWT_REFRESH_SECRET_PREVIOUS) would open them. Type yes to remove them for good.",
            otherwise: "nothing was removed")
        var outcome = try resealing.run(discards: true)
        outcome.accounts += first.accounts
        outcome.tasks += first.tasks
        return outcome
    }

    /// A server that was started before a key was replaced goes on to seal with the old one.
    private func demandRestart(_ source: SettingSource) throws(CommandFault) {
        for key in [RotatedKey.dataKey, .refreshSecret] {
            let previous = try ConfigurationFault.naming { () throws(SettingFaults) in
                try Configuration.previousKeys(of: key.previousSetting, key.form, from: source)
            }
            guard let replaced = previous.entries.compactMap(\.record?.moment).max(),
                let start = try RunningServer.startedAt(source), start < replaced
            else { continue }
            throw CommandFault(
                .no,
                "the running server still seals with the old \(key.rawValue): systemctl restart gatehouse, then run this "
                    + "again. Nothing was changed")
        }
    }

    private func count(
        _ vault: DataVault?, _ refreshKeys: KeyRing?, at path: String, _ input: Input
    ) throws(CommandFault) -> ExitStatus {
        let (counts, hashKeys): (SealedCounts, Int)
        do {
            counts = try SealedCounts(at: path)
            hashKeys = try IdentityHashes.unopenedCount(at: path, refreshKeys)
        } catch { throw CommandFault(.failed, "\(error)") }
        let split = counts.split(by: vault)
        let text = """
            \(split.current) values are sealed with the current DATA_KEY, \(split.previous) with previous ones, \
            \(split.unknown) with keys that no setting has; no secret of the settings opens \(hashKeys) keys of identity \
            hashes
            """
        let unopened = split.unknown + hashKeys
        Report(json: ResealReport.json(.init(), unopened, counts.json(vault)), text: text).print(for: input)
        return unopened > 0 ? .no : .done
    }
}

import CommandLineTool
import Gatehouse
import GatehouseServer
import GatehouseStore
import GatehouseTokens
import JSON
import POSIX

struct KeysResealCommand: Command {
    let words = ["keys", "reseal"]
    let summary = "Seal the data of previous keys again with the current DATA_KEY."
    let discussion = """
        Reads DATABASE_URL, DATA_KEY and DATA_KEY_PREVIOUS, and JWT_REFRESH_SECRET with its previous secrets, which seal the
        keys of the identity hashes. It seals Apple's refresh tokens and the tasks of the Apple outbox again, a few rows at
        a time; a server may be running. If it is interrupted, run it again.

        Exits 1 if the database has values that no key of the settings opens. Put the old key back into DATA_KEY_PREVIOUS
        (or JWT_REFRESH_SECRET_PREVIOUS), or remove those values with --discard: then Apple is not told when one of those
        accounts is deleted, and users who were disabled and then deleted may sign in as new users.

        A server does not start with a JWT_REFRESH_SECRET that opens no key of the identity hashes, because every user would
        have to sign in again. If the secret of the database is lost for good, --lost-secret adds a key that the new secret
        opens, and the server starts. The other keys are kept for the case that the secret is found.
        """
    let options = [
        Option(name: "--dry-run", help: "count the values that each key has sealed, and change nothing"),
        Option(name: "--discard", help: "remove values that no key opens; asks on a terminal"),
        Option(
            name: "--lost-secret",
            help:
                "accept a JWT_REFRESH_SECRET that is not the one of the database: every user signs in again; asks on a "
                + "terminal"),
        Option(name: "--yes", help: "do not ask"), .json,
    ]

    func run(_ arguments: Arguments) throws(CommandError) -> ExitStatus {
        let source = SettingSource.current()
        if let fault = source.closedFolder { throw CommandError(.usage, fault.description) }
        let (vault, refreshKeys) = try readSettings { () throws(SettingFaults) in
            (try Configuration.vault(from: source), try Configuration.refreshKeys(from: source))
        }
        let database = try ConfiguredDatabase.read()
        if arguments.has("--lost-secret") {
            return try LostSecret(database: database, refreshKeys: refreshKeys).accept(arguments)
        }
        if !arguments.has("--dry-run") { try requireRestart(source) }
        guard !arguments.has("--dry-run") else {
            if case .file(let owner) = database { try owner.giveUpRoot() }
            return try count(vault, refreshKeys, in: database, arguments)
        }
        if arguments.has("--discard") {
            try arguments.requireConfirmation(
                "--discard removes values permanently: without a terminal, confirm it with --yes")
        }
        let outcome: Resealing.Outcome
        let counts: SealedCounts
        do {
            let store = try database.store()
            let resealing = Resealing(store: store, vault: vault, refreshKeys: refreshKeys)
            let first = try resealing.run(discards: false)
            outcome = arguments.has("--discard") ? try discard(first, by: resealing, arguments) : first
            counts = try SealedCounts(in: database.examined())
        } catch let fault as CommandError { throw fault } catch { throw CommandError(.failed, "\(error)") }
        let report = ResealReport(
            outcome: outcome, counts: counts, vault: vault, isDiscarded: arguments.has("--discard"))
        report.report.print(for: arguments)
        return report.hasUnopened ? .no : .done
    }

    /// Removes the values that the first run could not open.
    private func discard(
        _ first: Resealing.Outcome, by resealing: Resealing, _ arguments: Arguments
    ) throws -> Resealing.Outcome {
        guard first.unopened > 0 else { return first }
        guard resealing.vault != nil || first.unopenedValues == 0 else {
            throw CommandError(
                .usage,
                "DATA_KEY is not set: --discard would remove every sealed value. Set the key of the server, "
                    + "or a new one if it is lost: gatehouse keys generate --alg HS256. Nothing was removed")
        }
        try arguments.confirm(
            "No key of the settings opens: \(first.unopenedText). Their old key in DATA_KEY_PREVIOUS (for "
                + "identity hashes: JWT_REFRESH_SECRET_PREVIOUS) would open them. Type yes to remove them permanently.",
            otherwise: "nothing was removed")
        var outcome = try resealing.run(discards: true)
        outcome.accounts += first.accounts
        outcome.tasks += first.tasks
        return outcome
    }

    /// A server that started before a key was replaced still seals with the old one.
    private func requireRestart(_ source: SettingSource) throws(CommandError) {
        for key in [RotatedKey.dataKey, .refreshSecret] {
            let previous = try readSettings { () throws(SettingFaults) in
                try Configuration.previousKeys(of: key.previousSetting, key.form, from: source)
            }
            guard let replaced = previous.entries.compactMap(\.record?.moment).max(),
                let start = try RunningServer.startedAt(source), start < replaced
            else { continue }
            throw CommandError(
                .no,
                "the running server still seals with the old \(key.rawValue): systemctl restart gatehouse, then run this "
                    + "command again. Nothing was changed")
        }
    }

    private func count(
        _ vault: DataVault?, _ refreshKeys: KeyRing?, in database: ConfiguredDatabase, _ arguments: Arguments
    ) throws(CommandError) -> ExitStatus {
        let (counts, hashKeys): (SealedCounts, Int)
        do {
            let examined = try database.examined()
            counts = try SealedCounts(in: examined)
            hashKeys = try IdentityHashes.stored(in: examined, openedBy: refreshKeys)?.unopenedCount ?? 0
        } catch { throw CommandError(.failed, "\(error)") }
        let split = counts.split(by: vault)
        let text = """
            \(split.current) values are sealed with the current DATA_KEY, \(split.previous) with previous ones, \
            \(split.unknown) with unknown keys; \(hashKeys) keys of identity hashes are opened by no secret of the \
            settings
            """
        let unopened = split.unknown + hashKeys
        Report(json: ResealReport.json(.init(), unopened, counts.json(vault)), text: text).print(for: arguments)
        return unopened > 0 ? .no : .done
    }
}

/// The result of resealing, and the next steps.
struct ResealReport {
    let outcome: Resealing.Outcome
    /// The counts after the run.
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
            "sealed again with the current DATA_KEY: \(outcome.accounts) tokens of accounts, \(outcome.tasks) tasks for Apple"
        return [done] + unopened + nextSteps
    }

    private var unopened: [String] {
        guard outcome.unopened > 0 else { return [] }
        let counts = outcome.unopenedText
        guard !isDiscarded else { return ["removed, because no key of the settings opens them: \(counts)"] }
        return [
            "no key of the settings opens: \(counts)",
            "put the old key back into DATA_KEY_PREVIOUS (for identity hashes: JWT_REFRESH_SECRET_PREVIOUS) and run this "
                + "command again, or remove them: gatehouse keys reseal --discard",
        ]
    }

    private var nextSteps: [String] {
        let left = counts.split(by: vault).previous
        if left > 0 {
            return [
                "\(left) values were sealed with a previous key meanwhile: systemctl restart gatehouse, and run this command again"
            ]
        }
        guard let vault, vault.heads.count > 1 else { return [] }
        return [
            "no value needs DATA_KEY_PREVIOUS any more: gatehouse keys retire data_key",
            "backups from before this run still need it: store a copy of it with them",
        ]
    }
}

extension Resealing.Outcome {
    /// The number of values of each kind that no key opens.
    var unopenedText: String {
        [
            (unopenedAccounts, "tokens of accounts"), (unopenedTasks, "tasks for Apple"),
            (unopenedHashKeys, "keys of identity hashes"),
        ].filter { $0.0 > 0 }.map { "\($0.0) \($0.1)" }.joined(separator: ", ")
    }
}

import CommandLineTool
import Gatehouse
import GatehouseServer
import GatehouseTokens
import JOSE
import JSON
import POSIX

struct KeysRotateCommand: Command {
    let words = ["keys", "rotate"]
    let summary = "Replace a key; the old one is still accepted, as a previous key."
    let discussion = """
        NAME is jwt_access_secret, jwt_refresh_secret, data_key or access_signing_key. The settings name its file and the file
        of the previous keys (NAME_FILE, or CREDENTIALS_DIRECTORY); both keep their owner and permissions. A crash at any
        point loses no key: run the same command again to finish. The server uses a new key after a restart.

        access_signing_key needs two calls. The first publishes the next key in the key set. The second lets it sign, after
        a restart and the 5 minutes for which services may cache the key set.

        Exits 1 and changes nothing if it is too early for the second call.
        """
    let parameters = ["NAME"]
    let options = [
        Option(
            name: "--stolen", value: nil,
            help: "do not accept the old key: its tokens are refused after the restart; asks on a terminal"),
        Option(
            name: "--now", help: "for access_signing_key: sign with the next key without waiting for caches"),
        Option(name: "--yes", help: "with --stolen: do not ask"), .json,
    ]

    func run(_ arguments: Arguments) throws(CommandError) -> ExitStatus {
        let key = try RotatedKey(named: arguments.positional[0])
        try validate(arguments, key)
        let source = SettingSource.current()
        let files = try KeyFiles(of: key, from: source)
        let lifetimes = try readSettings { () throws(SettingFaults) in
            try Configuration.tokenLifetimes(from: source)
        }
        // Only a signing key is published before it signs.
        let serverStart = key == .signingKey && !arguments.has("--stolen") ? try RunningServer.startedAt(source) : nil
        try files.giveUpRoot()
        let lock = try files.lock()
        defer { withExtendedLifetime(lock) {} }
        let (current, previous) = try files.read()
        let now = Platform.system.now()
        let rotation = KeyRotation(
            key: key, current: current, previous: previous, now: now, serverStart: serverStart)
        let plan = try rotation.plan(isImmediate: arguments.has("--now"), isStolen: arguments.has("--stolen")) {
            () throws(CommandError) in try Self.newKey(like: current, of: key)
        }
        if arguments.has("--stolen") { try confirm(arguments, key) }
        for step in plan.steps { try files.write(step) }
        let state = try files.read()
        KeyReport(
            key: key, outcome: plan.outcome, current: state.current, previous: state.previous,
            lifetime: key.lifetime(lifetimes), now: now, isStolen: arguments.has("--stolen"),
            previousPath: files.previousPath
        ).report.print(for: arguments)
        if key == .refreshSecret, arguments.has("--stolen") { try LostSecret.acceptNew() }
        return .done
    }

    /// Refuses options that do not apply to the key.
    private func validate(_ arguments: Arguments, _ key: RotatedKey) throws(CommandError) {
        if key != .signingKey, arguments.has("--now") {
            throw CommandError(
                .usage, "--now applies to access_signing_key: \(key.rawValue) is replaced in one call")
        }
        guard arguments.has("--stolen") else { return }
        if key == .dataKey {
            throw CommandError(
                .usage,
                "without the old data_key the sealed data cannot be opened: rotate it without --stolen, restart the "
                    + "server, then run gatehouse keys reseal and gatehouse keys retire data_key")
        }
        try arguments.requireConfirmation("\(Self.effect(ofStolen: key)): without a terminal, confirm it with --yes")
    }

    private func confirm(_ arguments: Arguments, _ key: RotatedKey) throws(CommandError) {
        try arguments.confirm("\(Self.effect(ofStolen: key)). Type yes to replace it.")
    }

    private static func effect(ofStolen key: RotatedKey) -> String {
        let effect = key == .refreshSecret ? "every user has to sign in again" : "every app has to refresh its tokens"
        return "tokens signed with the old \(key.rawValue) are refused after the restart, and \(effect)"
    }

    /// A secret, or a signing key for the same algorithm.
    private static func newKey(like current: String, of key: RotatedKey) throws(CommandError) -> String {
        do throws(JOSEError) {
            let algorithm = key == .signingKey ? try SigningKey(pem: current).algorithm : .HS256
            return try NewKey.generate(algorithm).text
        } catch {
            throw CommandError(.failed, "no new \(key.rawValue) could be generated: \(error)")
        }
    }
}

/// The result of a rotation, and the next steps. Keys are named by their ids, which are public.
struct KeyReport {
    let key: RotatedKey
    let outcome: KeyPlan.Outcome
    let current: String
    let previous: KeyList
    let lifetime: Duration?
    let now: Timestamp
    let isStolen: Bool
    /// The file of the previous keys.
    let previousPath: String

    var report: Report { Report(json: json, text: lines.joined(separator: "\n")) }

    private var json: JSONValue {
        .object([
            "key": .string(key.rawValue), "outcome": .string(outcome.rawValue), "id": JSONValue(key.id(of: current)),
            "previous": .array(previous.entries.map(json)),
        ])
    }

    private func json(_ entry: KeyList.Entry) -> JSONValue {
        let state = entry.isPublished ? "published" : "replaced"
        return .object([
            "id": JSONValue(key.id(of: entry.text)), "state": .string(state),
            "since": JSONValue(entry.record?.moment.toTheSecond), "neededUntil": JSONValue(end(of: entry)?.toTheSecond),
        ])
    }

    private func end(of entry: KeyList.Entry) -> Timestamp? {
        guard let lifetime, case .replaced(let moment) = entry.record else { return nil }
        return moment + lifetime
    }

    private var lines: [String] {
        let restart = "systemctl restart gatehouse"
        guard outcome == .replaced else {
            let name = previous.entries.first { $0.isPublished }.flatMap { key.id(of: $0.text) } ?? ""
            return [
                "the next \(key.rawValue), \(name), is in \(key.previousSetting): it is published after a restart, and does "
                    + "not sign yet",
                "next: \(restart)", "then, 5 minutes later: gatehouse keys rotate \(key.rawValue)",
            ]
        }
        return ["\(key.rawValue) is now \(key.id(of: current) ?? ""); \(oldKeys)", "next: \(restart)"]
            + [nextStep].compactMap { $0 }
    }

    private var oldKeys: String {
        isStolen ? "the previous one is not accepted after the restart" : accepted
    }

    private var accepted: String {
        let count = previous.entries.count { !$0.isPublished }
        return "\(count) previous \(count == 1 ? "key is" : "keys are") still accepted"
    }

    /// When the old key can be retired; or which keys may have been stolen together with it.
    private var nextStep: String? {
        guard !isStolen else {
            return previous.entries.isEmpty
                ? nil : "\(accepted): if they were stolen too, remove them from \(previousPath) and restart again"
        }
        let retire = "gatehouse keys retire \(key.rawValue)"
        guard let end = previous.entries.compactMap(end).max() else {
            return key == .dataKey ? "then: gatehouse keys reseal, and \(retire)" : nil
        }
        return "then, after \(end.toTheSecond) if you restart now: \(retire)"
    }
}

extension RotatedKey {
    /// The id by which tokens, the key set and sealed values refer to a key. Nil if the text is not a key.
    func id(of text: String) -> String? {
        switch self {
        case .signingKey: try? SigningKey(pem: text).keyID
        case .accessSecret, .refreshSecret: try? SigningKey(writtenSecret: Array(text.utf8)).keyID
        case .dataKey: DataKey.bytes(written: text).flatMap { try? DataKey($0) }.map(\.id)
        }
    }
}

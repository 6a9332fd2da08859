import Gatehouse
import GatehouseServer
import GatehouseTokens
import JOSE
import JSON
import POSIX

/// Replaces a key, and keeps the old one accepted.
struct KeysRotateCommand: Command {
    let words = ["keys", "rotate"]
    let summary = "Replace a key; the old one stays accepted as a previous key."
    let discussion = """
        NAME is jwt_access_secret, jwt_refresh_secret, data_key or access_signing_key. Its file and the file of the
        previous keys are those that the settings name (NAME_FILE, or CREDENTIALS_DIRECTORY); both keep their owner and
        permissions. A crash at any point loses no key, and the same command finishes what was interrupted.
        The server takes a new key over when it is restarted.

        access_signing_key takes two calls. The first publishes the next key in the key set; the second, after a restart
        and the 5 minutes for which services may cache the key set, lets it sign.

        Exits 1, and changes nothing, where it is too early for the second call.
        """
    let arguments = ["NAME"]
    let options = [
        Option(
            name: "--stolen", value: nil,
            help: "do not keep the old key: what it signed is refused from the restart on; asks on a terminal"),
        Option(
            name: "--now", value: nil, help: "of access_signing_key: let the next key sign without waiting for caches"),
        Option(name: "--yes", value: nil, help: "with --stolen: ask no question"), .json,
    ]

    func run(_ input: Input) throws(CommandFault) -> ExitStatus {
        let key = try RotatedKey(named: input.arguments[0])
        try refuseUnfit(input, key)
        let source = SettingSource.current()
        let files = try KeyFiles(of: key, from: source)
        let lifetimes = try ConfigurationFault.naming { () throws(SettingFaults) in
            try Configuration.tokenLifetimes(from: source)
        }
        // Of the other keys no published one has to be waited for.
        let serverStart = key == .signingKey && !input.has("--stolen") ? try RunningServer.startedAt(source) : nil
        try files.takeOver()
        let lock = try files.lock()
        defer { withExtendedLifetime(lock) {} }
        let (current, previous) = try files.read()
        let now = World.real.now()
        let rotation = KeyRotation(
            key: key, current: current, previous: previous, now: now, serverStart: serverStart)
        let plan = try rotation.plan(isImmediate: input.has("--now"), isStolen: input.has("--stolen")) {
            () throws(CommandFault) in try Self.newKey(like: current, of: key)
        }
        if input.has("--stolen") { try confirm(input, key) }
        for step in plan.steps { try files.write(step) }
        let state = try files.read()
        KeyReport(
            key: key, outcome: plan.outcome, current: state.current, previous: state.previous,
            lifetime: key.lifetime(lifetimes), now: now, isStolen: input.has("--stolen"),
            previousPath: files.previousPath
        ).report.print(for: input)
        return .done
    }

    /// Options that this key does not have.
    private func refuseUnfit(_ input: Input, _ key: RotatedKey) throws(CommandFault) {
        if key != .signingKey, input.has("--now") {
            throw CommandFault(
                .usage, "--now is for access_signing_key: \(key.rawValue) is replaced in one call, without a wait")
        }
        guard input.has("--stolen") else { return }
        if key == .dataKey {
            throw CommandFault(
                .usage,
                "what the old data_key has sealed could not be opened any more: rotate it without --stolen, then "
                    + "restart, gatehouse keys reseal, and gatehouse keys retire data_key")
        }
        try input.demandConfirmable("\(Self.loss(of: key)): without a terminal, confirm it with --yes")
    }

    private func confirm(_ input: Input, _ key: RotatedKey) throws(CommandFault) {
        try input.confirm("\(Self.loss(of: key)). Type yes to replace it.")
    }

    private static func loss(of key: RotatedKey) -> String {
        let effect = key == .refreshSecret ? "every user has to sign in again" : "every app has to refresh its tokens"
        return "what the old \(key.rawValue) signed is refused from the restart on, and \(effect)"
    }

    /// A signing key of the same algorithm, or a secret.
    private static func newKey(like current: String, of key: RotatedKey) throws(CommandFault) -> String {
        do throws(JOSEError) {
            let algorithm = key == .signingKey ? try SigningKey(pem: current).algorithm : .HS256
            return try NewKey.generate(algorithm).text
        } catch {
            throw CommandFault(.failed, "no new \(key.rawValue) can be made: \(error)")
        }
    }
}

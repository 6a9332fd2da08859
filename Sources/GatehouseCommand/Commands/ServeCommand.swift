import Gatehouse
import GatehouseServer
import JSON
import POSIX

struct ServeCommand: Command {
    let words = ["serve"]
    let summary = "Serve FastCGI until SIGTERM; SIGHUP reads the settings anew."
    let discussion = """
        Settings come from the environment, and from /etc/gatehouse/gatehouse.conf or the file that GATEHOUSE_CONFIG
        names; each X also from the file that X_FILE names, or as a systemd credential x.
        APP_ENV, NODE_ENV, LISTEN, DATABASE_URL, WORKERS, LOG_LEVEL, JWT_ACCESS_SECRET, JWT_ACCESS_SECRET_PREVIOUS,
        JWT_REFRESH_SECRET, JWT_REFRESH_SECRET_PREVIOUS, ACCESS_SIGNING_KEY, ACCESS_SIGNING_KEY_PREVIOUS,
        ACCESS_TOKEN_TTL, REFRESH_TOKEN_TTL, REFRESH_REUSE_GRACE, SESSION_MAX_AGE, SESSIONS_PER_USER,
        SENSITIVE_MAX_AGE, AUDIT_RETENTION, APPLE_BUNDLE_ID,
        APPLE_ISSUER, APPLE_JWKS_URL, APPLE_NONCE, APPLE_REPLAY_GRACE, APPLE_ON_CONSENT_REVOKED, APPLE_TEAM_ID,
        APPLE_KEY_ID, APPLE_PRIVATE_KEY, APPLE_TOKEN_URL, APPLE_REVOKE_URL, DATA_KEY, DATA_KEY_PREVIOUS,
        DEV_LOGIN_SECRET, TOKEN_ISSUER, TOKEN_AUDIENCE, PUBLIC_URL
        """

    func run(_ input: Input) throws(CommandFault) -> ExitStatus {
        // Before the settings are read: keys that are replaced from here on may not be the ones that this process has.
        let startedAt = World.real.now()
        // As many threads allocate at a time as there are processors.
        Heap.shareArenas(Processors.usable)
        let configuration = try ConfigurationFault.naming { () throws(SettingFaults) in
            try Configuration(from: .current())
        }
        let owner = try DatabaseOwner(
            of: configuration.database.path, isDevelopment: configuration.environment == .development)
        let listener = try ServedSocket(address: configuration.listen).openAsRoot(before: owner)
        try owner.takeOver()
        try UnitFolder()?.refuseDatabase(at: owner.path)
        // Before any thread: threads inherit what is blocked.
        let signals = Signals(blocking: [.hangUp, .interrupt, .terminate])
        do {
            let stream = try LogStream.standardError()
            // What has been said is written before the process ends, however it ends.
            defer { stream.close() }
            let log = Log(level: configuration.logLevel, to: stream)
            for warning in configuration.warnings { log(.warning, "configuration", [("warning", .string(warning))]) }
            let application = try Application(
                configuration, startedAt: startedAt, listener: listener, log: log
            ) { () throws(SettingFaults) in try Configuration(from: .current()) }
            try application.run(until: signals)
            return .done
        } catch {
            throw CommandFault(.failed, "\(error)")
        }
    }
}

import CommandLineTool
import Gatehouse
import GatehouseServer

/// A key that can be replaced while its signatures or sealed values are still accepted.
enum RotatedKey: String, CaseIterable, Sendable {
    case accessSecret = "jwt_access_secret"
    case refreshSecret = "jwt_refresh_secret"
    case dataKey = "data_key"
    case signingKey = "access_signing_key"

    /// - Parameter name: the name of its setting or of its credential.
    init(named name: String) throws(CommandError) {
        guard let key = RotatedKey(rawValue: name.lowercased()) else {
            let names = Self.allCases.map(\.rawValue).joined(separator: ", ")
            throw CommandError(
                .usage, "\(name.printable) is not a key that can be rotated: NAME must be one of \(names)")
        }
        self = key
    }

    var setting: String { rawValue.uppercased() }

    var previousSetting: String { setting + "_PREVIOUS" }

    var form: KeyList.Form { self == .signingKey ? .pem : .line }

    /// How long its signatures are accepted. Nil for DATA_KEY: sealed values do not expire.
    func lifetime(_ tokens: (access: Duration, refresh: Duration)) -> Duration? {
        switch self {
        case .accessSecret, .signingKey: tokens.access + Self.margin
        // It also signs the challenges for logins, which are valid for ten minutes.
        case .refreshSecret: max(tokens.refresh, .seconds(600)) + Self.margin
        case .dataKey: nil
        }
    }

    /// Covers the time between the replacement of the file and the restart of the server.
    private static let margin = Duration.seconds(60)
}

/// The running server that uses the keys of these settings.
enum RunningServer {
    /// When the server started, and so read its keys. Nil if none runs.
    ///
    /// - Parameter units: asked if no server answers: the socket file may be gone while the server runs.
    static func startedAt(
        _ source: SettingSource, units: () throws(UnitsFault) -> Units? = Units.ofThisMachine
    ) throws(CommandError) -> Timestamp? {
        let address = try readSettings { () throws(SettingFaults) in
            try Configuration.listen(from: source)
        }
        let start: Timestamp?
        do throws(ServerQuery.Fault) {
            start = try ServerQuery(at: address).startedAt(within: ServerQuery.Timeout.readiness)
        } catch {
            throw CommandError(
                .failed, "cannot determine which keys the running server uses; nothing was changed: \(error)")
        }
        if start == nil, try isRunning(units) {
            throw CommandError(
                .failed,
                "the server runs but does not answer at \(address), so its keys are unknown: "
                    + "systemctl restart gatehouse, and run this command again. Nothing was changed")
        }
        return start
    }

    private static func isRunning(_ units: () throws(UnitsFault) -> Units?) throws(CommandError) -> Bool {
        do throws(UnitsFault) { return try units()?[Units.service]?.process != nil } catch {
            throw CommandError(.failed, "cannot determine whether the server runs; nothing was changed: \(error)")
        }
    }
}

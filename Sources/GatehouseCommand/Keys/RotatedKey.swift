import GatehouseServer

/// A key that can be replaced while what it signed or sealed is still accepted.
enum RotatedKey: String, CaseIterable, Sendable {
    case accessSecret = "jwt_access_secret"
    case refreshSecret = "jwt_refresh_secret"
    case dataKey = "data_key"
    case signingKey = "access_signing_key"

    /// By the name of its setting or of its credential.
    init(named name: String) throws(CommandFault) {
        guard let key = RotatedKey(rawValue: name.lowercased()) else {
            let names = Self.allCases.map(\.rawValue).joined(separator: ", ")
            throw CommandFault(.usage, "\(name.printable) is no key that can be rotated: NAME must be one of \(names)")
        }
        self = key
    }

    var setting: String { rawValue.uppercased() }

    var previousSetting: String { setting + "_PREVIOUS" }

    var form: KeyList.Form { self == .signingKey ? .pem : .line }

    /// For how long what it signed is accepted. Nil for DATA_KEY: what it sealed does not expire.
    func lifetime(_ tokens: (access: Duration, refresh: Duration)) -> Duration? {
        switch self {
        case .accessSecret, .signingKey: tokens.access + Self.margin
        // Nonces of logins are marked with it, too.
        case .refreshSecret: max(tokens.refresh, .seconds(600)) + Self.margin
        case .dataKey: nil
        }
    }

    /// Between the replacement in the file and the restart of the server.
    private static let margin = Duration.seconds(60)
}

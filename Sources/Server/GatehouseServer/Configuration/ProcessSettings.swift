import Gatehouse

/// How the process runs: its address, its database, and who it is to clients.
package struct ProcessSettings: Sendable {
    package let environment = Setting(
        "APP_ENV", .oneOf(AppEnvironment.self, by: AppEnvironment.init(setting:)), default: "production",
        "Whether this is production or a developer's machine.")
    let nodeEnvironment = Setting(
        "NODE_ENV", .text, "The value `production` disables the development login, whatever `APP_ENV` is.",
        details: "Upper and lower case are the same.")
    let listen = Setting(
        "LISTEN", SettingParser("unix:/path or tcp:address:port, the address in digits", ListenAddress.init),
        default: "unix:/run/gatehouse/gatehouse.sock", restart: true, "Address at which FastCGI is served.",
        details: "A socket from systemd is used instead.")
    package let database = Setting(
        "DATABASE_URL", .database, default: "sqlite:/var/lib/gatehouse/gatehouse.db", secret: true, restart: true,
        "Address of the database.",
        details: """
            The database is created and migrated at the start. Processes that share it learn within a second which \
            sessions the others ended. The package's units may write to `/var/lib/gatehouse` only: before you set a \
            file in another folder, run `gatehouse-database-folder FOLDER`. For [PostgreSQL](PostgreSQL.md): a URL \
            with several hosts and all parameters of libpq, whose environment variables and password file work as \
            well. No message contains the URL, since it may hold a password; one without a password may be in \
            `gatehouse.conf`.
            """)
    let databaseMark = Setting(
        "DATABASE_MARK", .text, restart: true, "File that says that a database was used here.",
        details: """
            The server writes it when it has opened its database. While it exists, no start creates a database file: \
            [a missing database](Operations.md#a-missing-database). It must not be in the folder of the database. If it \
            is not set, the file `database_mark` beside the configuration file is used, which the package's unit writes.
            """)
    let databaseConnections = Setting(
        "DATABASE_CONNECTIONS", .number(1...1000), default: "8", restart: true,
        "Number of connections to PostgreSQL for transactions that do not share one.",
        details: "A node needs three more: for refreshes, for reads of users and for notifications.")
    let databaseTimeout = Setting(
        "DATABASE_TIMEOUT", .duration(.seconds(1)...(.seconds(60))), default: "5s", restart: true,
        "How long a request may wait for PostgreSQL, counted from its arrival.")
    let workers = Setting("WORKERS", .number(1...1024), default: "64", restart: true, "Number of worker threads.")
    let publicURL = Setting(
        "PUBLIC_URL",
        SettingParser(
            "the https origin that clients use, such as https://api.example.com, or off", PublicAddressSetting.init),
        "Public address of the API.",
        details: """
            If it is not set, the file `public_url` beside the configuration file is used. The server sends a request to \
            the address every minute (every 15 seconds after a failure) through a loopback address; metrics have the \
            result and the expiry of the certificate. `gatehouse check` sends one, too. `gatehouse-nginx` writes \
            `public_url`, except with `TLS=balancer`, with `PROXY_PROTOCOL=on` or where nginx listens at no loopback \
            address: set `off` there. The proofs of [bound sessions](API.md#bound-sessions) must be about this origin, or where \
            it is `off` about that of `TOKEN_ISSUER`: after a change, apps that use the earlier one have to log in again.
            """)
    let logLevel = Setting(
        "LOG_LEVEL", .oneOf(LogLevel.self), default: "info", "Least severe level that is logged.",
        details: "The [log](Observability.md#log) is written to standard error.")
    let tokenIssuer = Setting(
        "TOKEN_ISSUER", .text, default: "gatehouse", "`iss` of access tokens.",
        details: """
            With the https origin that clients use, such as `https://api.example.com`, the server publishes \
            [metadata](API.md#metadata) for libraries that look the keys up by the issuer. After a change, access tokens \
            with the earlier issuer are refused, and clients refresh.
            """)
    let tokenAudience = Setting("TOKEN_AUDIENCE", .text, default: "gatehouse", "`aud` of access tokens.")
}

package enum AppEnvironment: String, Sendable, CaseIterable {
    case production
    case development

    /// Reads `APP_ENV`. White space around the value is ignored, and a blank value is production.
    init?(setting text: String) {
        let text = text.trimmingWhiteSpace
        self.init(rawValue: text.isEmpty ? Self.production.rawValue : text)
    }

    /// Whether a value of `NODE_ENV` means production, in any case and with white space around it.
    package static func isProduction(_ text: String?) -> Bool {
        text?.trimmingWhiteSpace.lowercased() == production.rawValue
    }
}

extension SettingReader<Settings> {
    /// `PUBLIC_URL`, or else the file that `gatehouse-nginx` writes.
    mutating func publicAddress() -> PublicAddressSetting {
        if let setting = self[\.process.publicURL] { return setting }
        if isSet(\.process.publicURL) { return .off }
        let row = Settings.table.process.publicURL
        guard let (path, text) = fileBesideConfiguration(for: row.name) else { return .unknown }
        if let setting = PublicAddressSetting(text) { return setting }
        // A warning only: the server can work without it.
        warn("\(path) is ignored, because it does not hold \(row.format): run gatehouse-nginx, or set \(row.name)")
        return .unknown
    }
}

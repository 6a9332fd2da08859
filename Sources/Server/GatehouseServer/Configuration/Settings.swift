import Gatehouse
import IdentityProviders
import JOSE

/// The table of settings. Reading, `gatehouse serve --help`, `gatehouse check` and the Configuration page
/// follow it, in this order.
package struct Settings: Sendable {
    package static let table = Settings()

    /// The rows, in the order of their declaration. `Mirror` lists the properties, so that no row can be left out.
    package static let all = Mirror(reflecting: table).children.compactMap { $0.value as? any SettingRow }

    private static let hour = Duration.seconds(3600)
    private static let day = Duration.seconds(86_400)

    // MARK: The process

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

    // MARK: Sign in with Apple

    let appleIssuers = Setting(
        "APPLE_ISSUER", .list(of: "issuers"), default: "https://appleid.apple.com",
        "Accepted `iss` of Apple's identity tokens.")
    package let appleBundleIDs = Setting(
        "APPLE_BUNDLE_ID", .list(of: "bundle IDs"), default: .required, "Accepted `aud` of Apple's identity tokens.")
    package let appleClientID = Setting(
        "APPLE_CLIENT_ID", .clientID, "Services ID with which browsers sign in with Apple.",
        details: """
            At Apple, the Services ID must have the app's App ID as its primary App ID: \
            [registering it](Providers.md#apple). Without this setting, browsers do not sign in with Apple.
            """)
    let appleNonce = Setting(
        "APPLE_NONCE", .oneOf(TokenRules.NonceRule.ofApple), default: "optional",
        "Whether a login must have a nonce.",
        details: """
            `required`: any nonce. `challenge`: a nonce from `POST /api/auth/challenge`, which is [recommended in \
            production](IOSApp.md#use-a-nonce-of-the-server-in-production).
            """)
    package let appleKeysURL = Setting(
        "APPLE_JWKS_URL", .fetchURL, default: "https://appleid.apple.com/auth/keys", restart: true,
        "Address of Apple's public keys.",
        details: "The last good key set is kept in the database and used for up to 48 hours if it cannot be fetched.")
    package let appleTokenURL = Setting(
        "APPLE_TOKEN_URL", .fetchURL, default: "https://appleid.apple.com/auth/token",
        "Address at which codes are exchanged.")
    package let appleRevokeURL = Setting(
        "APPLE_REVOKE_URL", .fetchURL, default: "https://appleid.apple.com/auth/revoke",
        "Address at which Apple's tokens are revoked.")
    package let appleMigrationURL = Setting(
        "APPLE_MIGRATION_URL", .fetchURL, default: "https://appleid.apple.com/auth/usermigrationinfo",
        "Address at which users are moved.",
        details: "To another team, by `gatehouse apple transfer`: [transferring the app](AppTransfer.md).")
    package let appleAuthorizationURL = Setting(
        "APPLE_AUTHORIZATION_URL", .pageURL, default: AppleWebClient.standardPage,
        "Address of Apple's page.", details: "Browsers are sent there.")
    let appleTeamID = Setting(
        "APPLE_TEAM_ID", .appleIdentifier, "Team ID of the Apple developer account.",
        details: """
            Set it together with `APPLE_KEY_ID` and `APPLE_PRIVATE_KEY`: with these three, authorization codes are \
            exchanged, and Apple's tokens are revoked when an account is deleted.
            """)
    let appleKeyID = Setting("APPLE_KEY_ID", .appleIdentifier, "Key ID of `APPLE_PRIVATE_KEY`.")
    let applePrivateKey = Setting(
        "APPLE_PRIVATE_KEY", .appleKey, secret: true, "Key for Sign in with Apple.")
    let providersFolder = Setting(
        "PROVIDERS_DIR", .text, "Folder with a file for each other provider of logins.",
        details: """
            If it is not set, the folder `providers.d` beside the configuration file is used, if there is one: \
            [providers](Providers.md).
            """)
    let dataKey = Setting(
        "DATA_KEY", .dataKey, default: .requiredIf("with `APPLE_PRIVATE_KEY`"), secret: true,
        "Key that encrypts Apple's tokens in the database.")
    let dataKeyPrevious = Setting(
        "DATA_KEY_PREVIOUS", .previous(.dataKey, .line), secret: true,
        "Earlier data keys, which decrypt but do not encrypt.",
        details: "One on a line. Keep them until `gatehouse keys reseal` has run.")

    // MARK: Signing in through a browser

    let redirectURIs = Setting(
        "REDIRECT_URIS", .redirectURIs, "Addresses at which signing in through a browser may end.",
        details: """
            Without them, it is off. A request has to name one of them byte for byte; only the port of `127.0.0.1` and \
            `[::1]` may be any. With `APP_ENV=development`, `http://localhost` with a port is permitted as well. It needs \
            `PUBLIC_URL`, or an https origin as `TOKEN_ISSUER` where that is `off`: browsers come back there from the providers.
            """)
    let corsOrigins = Setting(
        "CORS_ORIGINS", .origins, "Origins of other servers whose pages may call the API.",
        details: """
            They may also use the session in the browser's cookie, so they have to be as trustworthy as this server. Set \
            exactly the same line in `nginx.values`, for guarded locations and nginx's own errors. With \
            `APP_ENV=development`, `http://localhost` with a port is permitted as well.
            """)

    let signInOrder = Setting(
        "SIGN_IN_ORDER", .list(of: "names of ways to sign in"),
        "The order in which pages show the ways to sign in, such as google,apple,phone.",
        details: "The others follow by their names. `GET /api/auth/ways` has this order.")

    // MARK: Services

    let serviceTokens = Setting(
        "SERVICE_TOKENS", .serviceTokens, secret: true,
        "Tokens of your services, which ask about users and access tokens.",
        details: """
            [Services](Services.md) send them. Lines that begin with `#` are comments. Two lines of one name are two tokens of one service, for the time in which \
            it gets a new one. Only hashes of the tokens are kept in memory.
            """)
    let serviceUsers = Setting(
        "SERVICE_USERS", .list(of: "user names or numbers"),
        "Users of this machine that ask without a token, beside root.",
        details: """
            The kernel tells the user of a process that connects to the socket in `LISTEN`. Through nginx this is nginx's user, \
            for each request: with `www-data`, every process that reaches `LISTEN_LOCAL` may ask.
            """)

    // MARK: Policy

    package let developmentSecret = Setting(
        "DEV_LOGIN_SECRET", .developmentSecret, secret: true,
        "Secret of the development login, which `APP_ENV=development` enables.")
    let accessTokenLifetime = Setting(
        "ACCESS_TOKEN_TTL", .duration(.seconds(1)...Policy.longestAccessTokenLifetime), default: "15m",
        "Lifetime of an access token.")
    let refreshTokenLifetime = Setting(
        "REFRESH_TOKEN_TTL", .duration(.seconds(1)...(day * 3650)), default: "30d",
        "Lifetime of a session after its last refresh.")
    let sessionMaximumAge = Setting(
        "SESSION_MAX_AGE", .duration(.seconds(1)...(day * 3650)), default: "365d",
        "Lifetime of a session after its login.")
    let reuseGrace = Setting(
        "REFRESH_REUSE_GRACE", .duration(.zero...hour), default: "30s",
        "Time in which a refresh can be repeated after its answer was used.",
        details: """
            Requests that race may arrive late, also after several other refreshes. Any later use of an old token is \
            treated as theft.
            """)
    let lostAnswer = Setting(
        "REFRESH_LOST_ANSWER", .duration(.zero...(day * 3650)),
        "Time in which a refresh can be repeated while its answer is unused.",
        details: "If it is not set, this is possible for as long as the session lives: a lost answer logs no user out.")
    let auditRetention = Setting(
        "AUDIT_RETENTION", .duration(day...(day * 3650)), default: "90d", "Retention of the audit trail.")
    let sensitiveMaxAge = Setting(
        "SENSITIVE_MAX_AGE", .durationOrZero(atMost: day * 365), default: "0",
        "Maximum age of the login for linking, unlinking and deleting.",
        details: "`0` is no limit ([recent login](API.md#recent-login)).")
    let sessionsPerUser = Setting(
        "SESSIONS_PER_USER", .number(1...10_000), default: "100", "Maximum number of active sessions of a user.",
        details: "A login beyond it ends the least recently used session.")
    let dpopGuard = Setting(
        "DPOP_GUARD", .oneOf(DPoPPolicy.Guard.self), default: "optional",
        "What the guard asks of access tokens that are bound to a key.",
        details: """
            `optional`: a proof that is sent must be right, and the scheme `DPoP` demands one. `required`: the scheme `DPoP` \
            with a right proof. `off`: an earlier name of `optional`. It also holds for each GET of `/api/users/me` and its \
            accounts, and has no effect on sessions that are not [bound](API.md#bound-sessions).
            """)
    let dpopNonce = Setting(
        "DPOP_NONCE", .oneOf(DPoPNonceRule.self), default: "off",
        "Whether proofs must contain a nonce of the server.",
        details: """
            With `required`, an attacker who can use a client's key for a moment cannot sign proofs for a later time. A \
            nonce is valid for 5 minutes: a client whose nonce has expired gets 401 with a new one, and sends its request \
            again.
            """
    )
    let replayGrace = Setting(
        "APPLE_REPLAY_GRACE", .duration(.zero...(.seconds(600))), default: "60s",
        "Time in which one identity token can be sent again.")
    let consentPolicy = Setting(
        "APPLE_ON_CONSENT_REVOKED", .oneOf(ConsentPolicy.self), default: "unlink",
        "Treatment of an account when Apple reports a revoked consent.",
        details: """
            `keep`: it stays as it is. `unlink`: the login with Apple is removed, and the account is deleted if it has no \
            other login. `delete`: the account is deleted. In each case the sessions that Apple opened end; with the account, all end.
            """)

    // MARK: Codes

    let smsURL = Setting(
        "SMS_URL", .fetchURL, "Address of the gateway that sends codes by SMS.",
        details: "Gatehouse sends it a [signed POST](Codes.md). With this setting, users can sign in by phone number.")
    let smsSecret = Setting(
        "SMS_SECRET", .webhookSecrets, default: .requiredIf("with `SMS_URL`"), secret: true,
        "Secret that signs what is sent to the gateway.",
        details: "Two while it is replaced: each message is signed with both.")
    let smtpURL = Setting(
        "SMTP_URL", .mailServer, "Address of the mail server that sends codes.",
        details: """
            TLS is demanded, except for an `smtp://` address of this machine. With this setting, users can sign in by mail \
            address.
            """)
    let smtpUsername = Setting("SMTP_USERNAME", .text, "User name at the mail server.")
    let smtpPassword = Setting(
        "SMTP_PASSWORD", .text, default: .requiredIf("with `SMTP_USERNAME`"), secret: true,
        "Password at the mail server.")
    let mailFrom = Setting(
        "MAIL_FROM", .mailSender, default: .requiredIf("with `SMTP_URL`"), "Sender of the mails.")
    let appName = Setting(
        "APP_NAME", .appName, default: "Gatehouse", "Name of the app in messages.",
        details: "In China it is the signature (签名) that your gateway has registered.")
    let codeDomain = Setting(
        "CODE_DOMAIN", .domain, "Domain that the last line of an SMS binds the code to.",
        details: "iOS then offers the code only in your app and on your web site.")
    let messagesFolder = Setting(
        "MESSAGES_DIR", .text, "Folder with your own texts of messages.",
        details: """
            If it is not set, the folder `messages.d` beside the configuration file is used, if there is one: \
            [texts](Codes.md#texts).
            """)
    let messagesLanguage = Setting(
        "MESSAGES_LANGUAGE", .language, default: "en",
        "Language of messages for clients that accept none of the others.")
    let accountNotices = Setting(
        "ACCOUNT_NOTICES", .oneOf(AccountNotices.self), default: "on",
        "Whether users are told by mail of a new device and of changes of their account.",
        details: """
            To the verified mail address of the user, so only with `SMTP_URL` ([notices](Codes.md#notices-to-owners)).
            """)
    let phoneCountries = Setting(
        "PHONE_COUNTRIES", .countries, "Countries whose numbers get codes.",
        details: "No other number gets one, because attackers earn with messages to some countries.")
    let phoneKinds = Setting(
        "PHONE_KINDS", .numberKinds, default: "mobile", "Kinds of numbers that get codes.",
        details: """
            A number that may be a landline as well counts as `mobile`. Premium, shared-cost, toll-free, personal, pager and \
            company numbers and those that cannot exist get none: attackers earn with messages there. A number that an account \
            has gets codes in any case.
            """)
    let phoneDefaultCountry = Setting(
        "PHONE_DEFAULT_COUNTRY", .countryOfNumbers,
        "Country of numbers that are written without `+` and a calling code.",
        details: "If it is not set, such a number is refused, and so is one that begins with 0.")
    let phoneBinding = Setting(
        "PHONE_BINDING", .oneOf(PhonePolicy.Binding.self), default: "off",
        "Whether each user has to have a phone number.",
        details: """
            With `required`, the guard and most of the API answer 403 `phone_required` to a user without one, until it is \
            [bound](API.md#phone-binding).
            """)
    let phoneStaleAfter = Setting(
        "PHONE_STALE_AFTER", .durationOrZero(atMost: day * 3650), default: "0",
        "Time without a login or refresh after which a phone number alone does not sign in.",
        details: """
            The number may belong to another person by then. The user signs in by another account; a user who has none \
            signs in, and is told by mail. `0` is no limit.
            """)
    let codesPerAddress = Setting(
        "CODES_PER_ADDRESS", .rates(atMost: 1000), default: "1/1m,2/3m,3/10m,5/1h,10/1d",
        "Most codes to one number or mail address.",
        details: """
            Where a rate of more than an hour is used up, the address gets one code an hour: an attacker keeps its owner out \
            for an hour at most. A network from which the address was proven within 30 days has these limits for itself. `+tag` \
            in a mail address makes no other address.
            """)
    let codesPerAddressAndNetwork = Setting(
        "CODES_PER_ADDRESS_AND_NETWORK", .rates(atMost: 1000), default: "3/1h,6/1d",
        "Most codes to one address that one network can ask for.",
        details: "A network is 24 bits of an IPv4 address, and 48 of an IPv6 address.")
    let codesPerClient = Setting(
        "CODES_PER_CLIENT", .rates(), default: "30/1h,100/1d", "Most codes that one client address can ask for.",
        details: "Many phones of a mobile network share one.")
    let codesPerNetwork = Setting(
        "CODES_PER_NETWORK", .rates(), default: "100/1h,500/1d", "Most codes that one network can ask for.")
    let codesPerPrefix = Setting(
        "CODES_PER_PREFIX", .rates(), default: "20/1h",
        "Most codes to numbers that differ in the last four digits only.")
    let codesPerPrefixAndNetwork = Setting(
        "CODES_PER_PREFIX_AND_NETWORK", .rates(), default: "5/1h",
        "Most codes to such numbers that one network can ask for.")
    let codesPerCountry = Setting(
        "CODES_PER_COUNTRY", .rates(), default: "500/1h,3000/1d", "Most codes to the numbers of one country.")
    let codesPerChannel = Setting(
        "CODES_PER_CHANNEL", .rates(), default: "1000/1h,10000/1d", "Most codes by SMS, and most codes by mail.",
        details: """
            It limits what an attack can cost. A fifth is left for networks from which the address was proven within 30 days.
            """)
    let codesLeastUsed = Setting(
        "CODES_LEAST_USED", .number(0...100), default: "10",
        "Percentage of the codes to a prefix or a country that have to be used.",
        details: """
            If fewer of the last hour's codes were used, of 20 for a prefix and of 100 for a country, for which at least 3 and \
            10 networks have asked, networks that are not known get no more of them for now.
            """)
    let testCodes = Setting(
        "TEST_CODES", .testCodes, "Fixed codes for addresses to which nothing is sent, each with its last day.",
        details: """
            For the review of the app in the App Store. A person who knows one can sign in as its user, who must not have a role. \
            A code needs four different digits and no sequence, and a last day within a year.
            """)

    // MARK: Events

    let eventsURL = Setting(
        "EVENTS_URL", .receiverURL, "Address of a service that is told of events.",
        details: """
            Gatehouse sends it [signed requests](Events.md). It is the receiver `default`, which gets all types of events, at \
            this machine or at public addresses; others have files.
            """)
    let eventsSecret = Setting(
        "EVENTS_SECRET", .webhookSecrets, default: .requiredIf("with `EVENTS_URL`"), secret: true,
        "Secret that signs what is sent there.", details: "Two while it is replaced: each event is signed with both.")
    let receiversFolder = Setting(
        "RECEIVERS_DIR", .text, "Folder with a file for each other receiver of events.",
        details: """
            If it is not set, the folder `receivers.d` beside the configuration file is used, if there is one: \
            [receivers](Events.md#receivers).
            """)

    // MARK: Keys that sign tokens

    let signingKey = Setting(
        "ACCESS_SIGNING_KEY", .keyPair, secret: true, "Key that signs access tokens, with ES256 or EdDSA.",
        details: """
            Remove `JWT_ACCESS_SECRET` when the tokens that it signed have expired (`ACCESS_TOKEN_TTL`). Until then tokens \
            signed with it are accepted, and the log and `gatehouse check` warn of it.
            """)
    let signingKeyPrevious = Setting(
        "ACCESS_SIGNING_KEY_PREVIOUS", .previous(.keyPair, .pem), secret: true,
        "Earlier keys, which are accepted and published but do not sign.", details: "One PEM after the other.")
    let accessSecret = Setting(
        "JWT_ACCESS_SECRET", .secret, default: .requiredIf("without `ACCESS_SIGNING_KEY`"), secret: true,
        "Secret that signs access tokens, with HS256.",
        details: "It must differ from every other secret ([keys](#keys)).")
    let accessSecretPrevious = Setting(
        "JWT_ACCESS_SECRET_PREVIOUS", .previous(.secret, .line), secret: true,
        "Earlier secrets of access tokens, which are accepted but do not sign.",
        details: "One on a line, the newest first.")
    let refreshSecret = Setting(
        "JWT_REFRESH_SECRET", .secret, default: .required, secret: true, "Secret that signs refresh tokens.",
        details: "It must differ from every other secret.")
    let refreshSecretPrevious = Setting(
        "JWT_REFRESH_SECRET_PREVIOUS", .previous(.secret, .line), secret: true,
        "Earlier secrets of refresh tokens, which are accepted but do not sign.",
        details: "One on a line, the newest first.")
}

/// The values of `ACCOUNT_NOTICES`.
enum AccountNotices: String, Sendable, CaseIterable {
    case on
    case off
}

/// The values of `DPOP_NONCE`.
enum DPoPNonceRule: String, Sendable, CaseIterable {
    case off
    case required
}

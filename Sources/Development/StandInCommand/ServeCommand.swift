import CommandLineTool
import DevelopmentHTTP
import FileSystem
import POSIX
import Sockets
import StandIn

struct ServeCommand: Command {
    let words = ["serve"]
    let summary = "Serve what Apple, OpenID providers, WeChat, QQ, an SMS gateway and a mail server serve."
    let discussion = """
        Apple's endpoints, for APPLE_JWKS_URL, APPLE_TOKEN_URL, APPLE_REVOKE_URL, APPLE_MIGRATION_URL and
        APPLE_AUTHORIZATION_URL:
        GET /auth/keys       the key set
        POST /auth/token     exchanges a code or a refresh token
        POST /auth/revoke    revokes a token
        POST /auth/usermigrationinfo  moves a user to another developer team, when the app is transferred
        GET /auth/authorize  the page at which a user of a website signs in; the client is a Services ID
        The developer's key is AuthKey_<key id>.p8 in the folder, created if missing. APPLE_BUNDLE_ID lists the apps, and
        --services-id the websites. The app can be transferred to a second team, \(DeveloperAccount.otherTeamID), whose key is
        \(DeveloperAccount.otherKeyID): each team has other subjects and relay addresses.

        Endpoints that control it:
        GET /mint          the body of a login of a new user, for POST /api/auth/apple
        POST /mint         the same with given values: {"sub", "aud", "nonce", "email", "givenName", "familyName", "transferSub",
                           "era": "2019|2021|2025", "claims": {…}, "header": {…}}, all optional
        POST /notify       a notification: {"type", "sub", "aud", "to": URL, "email", "is_private_email",
                           "shape": "object|string|array", "time": "s|ms", "jti", "claims": {…}, "header": {…}}
        POST /services     {"id", "redirectURIs": [URL]}: a Services ID, as --services-id
        POST /transfer     {"to": TEAM}: transfers the app. {"window": "closed"}: 60 days later. {"revoked": [SUBJECT]}: users who
                           cannot be moved, by the first team's subject. GET tells who owns the app
        POST /answers      how the next answer of the page is wrong, for tests of attacks: {"for": USER, "parameters":
                           {"state": "…", "error": "…", "user": null}, "token": {"claims": {…}, "header": {…},
                           "forged": true}}; null removes a parameter. DELETE clears the list
        POST /faults       {"fault": "delay|hang|status|garbage|empty|huge|redirect|close", "path": "/auth/keys",
                           "times": 2, "seconds": 3, "status": 500, "error": "…"}; GET lists the faults, DELETE removes them
        POST /keys/rotate  signs with a new key; POST /keys/turnover also removes the old ones
        GET /requests      the requests to Apple's endpoints; DELETE clears the list
        GET /authorisations  which user has authorised which app

        OpenID Connect providers, WeChat and QQ, for files in PROVIDERS_DIR:
        /openid/NAME       the issuer of a provider of any name: .well-known/openid-configuration, keys, authorize and token
                           below it
        /wechat            API_URL of WeChat, for APP_ID wx1234567890abcdef, and connect/qrconnect, the page of the website
                           login, for CLIENT_ID wx0987654321fedcba
        /qq                API_URL of QQ, for APP_ID 101234567, and oauth2.0/authorize, the page of the website login, for
                           CLIENT_ID 101765432
        POST /openid/NAME/clients {"id", "secret", "redirectURIs": [URL]}, /wechat/website {"appID", "appSecret",
        "redirectURIs"} and /qq/website {"appID", "appKey", "redirectURIs"} register a website, as --redirect-uri does for the
        usual one. POST /openid/NAME/answers, /wechat/answers and /qq/answers have the next answer of a page be wrong.
        POST /wechat/page and /qq/page {"denial": "redirect|stay"} choose what happens when the user declines.
        POST /openid/NAME/mint, /wechat/mint and /qq/mint make what an app posts to /api/auth/identity, and
        POST /openid/google/events/mint a security event. POST /openid/NAME/keys/faults, /wechat/faults and /qq/faults inject
        faults, and GET /openid/NAME/requests, /wechat/requests and /qq/requests tell what was asked. A body with a wrong
        member is answered with the known ones.

        The gateway for text messages and the mail server, for the codes that Gatehouse sends:
        POST /sms          SMS_URL; accepts what SMS_SECRET has signed
        GET /inbox         the last messages of both, the newest first. ?to=ADDRESS selects, ?after=NUMBER gives later ones, and
                           ?wait=SECONDS waits for one; DELETE clears it
        POST /sms/settings   {"secret": "whsec_…", "limits": true}: with limits a number gets one code in a minute, five in an
                           hour and ten in a day
        POST /mail/settings  {"username", "password"}: only a client with these may send; AUTH PLAIN or LOGIN
        POST /number       NUMBER_URL, the receiver for one-tap sign-in; accepts what NUMBER_SECRET has signed
        POST /number/mint  what an app posts to /api/auth/number: {"phone": "+86…", "gateway", "expired": true, "answer": {…}},
                           all optional; answer takes the place of what the receiver answers
        POST /sms/faults, /mail/faults, /number/faults  inject faults: {"mode": "status|slow|hang|close|…", "status": 429,
                           "seconds": 3}. GET shows them, DELETE removes them, and GET /sms/requests, /mail/requests and
                           /number/requests tell what was asked

        A page is a form, which a program posts to the address of the page, with the query: user is the user (an email), and
        action is continue or cancel. Optional are name, sub (the subject), at Apple hide_email, and at WeChat and QQ openid,
        mobile_openid (of the same user at the app for phones) and union (none for no union id).

        It answers only requests whose Host header is localhost, 127.0.0.1, [::1], --address or --host. This protects
        against DNS rebinding by a web page. The endpoints that control it refuse requests of web pages of other origins.
        """
    let options =
        [
            .keys,
            Option(name: "--address", value: "ADDRESS", help: "the address to listen at (127.0.0.1)"),
            Option(name: "--port", value: "PORT", help: "the port to listen at, 0 for any (8444)"),
            Option(name: "--host", value: "NAME", help: "a host name to answer to as well; may be repeated"),
            Option(
                name: "--base", value: "URL",
                help: "how Gatehouse reaches it, for the issuers (http:// and the address and port)"),
            .servicesID, .redirectURI,
            Option(name: "--team-id", value: "ID", help: "the developer's team id (\(DeveloperAccount.defaultTeamID))"),
            Option(
                name: "--key-id", value: "ID", help: "the id of the developer's key (\(DeveloperAccount.defaultKeyID))"),
            Option(
                name: "--mail-port", value: "PORT", help: "receive mail at this port of 127.0.0.1, 0 for any (none)"),
            Option(
                name: "--sms-secret", value: "FILE",
                help: "the file with SMS_SECRET, one or several (\(WebhookKeys.usualSecret))"),
            Option(
                name: "--number-secret", value: "FILE",
                help: "the file with NUMBER_SECRET, one or several (\(WebhookKeys.usualNumberSecret))"),
            Option(name: "--ca", value: "FILE", help: "trusted certificates for sending notifications"),
            Option(name: "--log", help: "write a line of JSON about each request to standard output, without secrets"),
        ]

    func run(_ arguments: Arguments) throws(CommandError) -> ExitStatus {
        try Environment.refuseProduction()
        let port = try Self.port("--port", arguments) ?? 8444
        let mailPort = try Self.port("--mail-port", arguments)
        let smsKeys = try Self.keys("--sms-secret", arguments) ?? .usual
        let numberKeys = try Self.keys("--number-secret", arguments) ?? .usualOfNumbers
        let websites = try WebOptions(arguments)
        let developer = try Self.developer(arguments)
        let address = arguments.value("--address") ?? "127.0.0.1"
        do {
            let names = HostNames(and: arguments.all("--host") + [address.contains(":") ? "[\(address)]" : address])
            let listener = try Listener.tcp(host: address, port: port)
            let standIn = try StandIn(
                base: Self.base(arguments, address, listener.port ?? port), folder: arguments.keyFolder,
                developer: developer, sender: NotificationSender(authorities: arguments.value("--ca")),
                smsKeys: smsKeys, numberKeys: numberKeys,
                report: arguments.has("--log") ? LogOutput.write : LogOutput.nothing)
            try websites.register(at: standIn)
            let server = standIn.server(on: listener, names: names)
            if let mailPort { try Self.receiveMail(for: standIn, at: mailPort) }
            let title = StandInProgram.name == "fake-apple" ? "fake Apple" : "stand-in"
            StandardStream.output.line("\(title): http://\(address):\(server.port)")
            try server.run()
        } catch let error as CommandError {
            throw error
        } catch {
            throw CommandError(.failed, "\(error)")
        }
    }

    private static func port(_ option: String, _ arguments: Arguments) throws(CommandError) -> UInt16? {
        guard let text = arguments.value(option) else { return nil }
        guard let port = UInt16(text) else {
            throw CommandError(.usage, "\(option) must be a number from 0 to 65535")
        }
        return port
    }

    private static func keys(_ option: String, _ arguments: Arguments) throws(CommandError) -> WebhookKeys? {
        guard let path = arguments.value(option) else { return nil }
        do throws(POSIXError) {
            let text = String(decoding: try File.read(path), as: UTF8.self)
            if let keys = WebhookKeys(text) { return keys }
        } catch {
            throw CommandError(.failed, "\(path): \(error)")
        }
        throw CommandError(.usage, "\(option): the file must contain whsec_ and base64 of 24 to 64 bytes")
    }

    private static func developer(_ arguments: Arguments) throws(CommandError) -> DeveloperAccount {
        let keyID = arguments.value("--key-id") ?? DeveloperAccount.defaultKeyID
        // The id becomes part of a file name.
        guard !keyID.isEmpty, keyID.allSatisfy({ $0.isASCII && ($0.isLetter || $0.isNumber) }) else {
            throw CommandError(.usage, "--key-id must be letters and digits")
        }
        do {
            return try DeveloperAccount(
                in: arguments.keyFolder, teamID: arguments.value("--team-id") ?? DeveloperAccount.defaultTeamID,
                keyID: keyID, clientIDs: Environment.clientIDs)
        } catch {
            throw CommandError(.failed, "\(error)")
        }
    }

    /// How Gatehouse reaches it.
    private static func base(_ arguments: Arguments, _ address: String, _ port: UInt16) -> String {
        // Nothing connects to an address that means all of them.
        let host = ["0.0.0.0", "::"].contains(address) ? "127.0.0.1" : address
        let base = arguments.value("--base") ?? "http://\(host.contains(":") ? "[\(host)]" : host):\(port)"
        return base.hasSuffix("/") ? String(base.dropLast()) : base
    }

    /// Gatehouse sends mail without TLS to this machine alone, so the address is not `--address`.
    private static func receiveMail(for standIn: StandIn, at port: UInt16) throws {
        let listener = try Listener.tcp(host: "127.0.0.1", port: port)
        StandardStream.output.line("fake mail server: smtp://127.0.0.1:\(listener.port ?? port)")
        try standIn.receiveMail(on: listener)
    }
}

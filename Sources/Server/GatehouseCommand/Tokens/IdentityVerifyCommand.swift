import CommandLineTool
import FileSystem
import Gatehouse
import GatehouseWeb
import IdentityProviders
import JOSE
import JSON

/// Verifies an identity token with the code that verifies logins.
struct IdentityVerifyCommand: Command {
    let words = ["identity", "verify"]
    let summary = "Verify an identity token of a provider."
    let discussion = """
        Verifies as a login with the provider is verified: with its file in PROVIDERS_DIR, and with its keys, which are
        fetched from it unless --jwks names a file. Prints the claims of the token and exits 0, or prints the reason of the
        refusal and exits 1. Exits 2 if no provider of identity tokens has the name PROVIDER, and 3 if the keys cannot be
        fetched.

        Writes a line for each check to standard error, in order: ok, FAULT, or - if it was not made. With --json all is
        one document: ok; checks, each with subject, state (ok, fault, skipped) and message; reason and detail of a
        refusal; claims of a valid token.

        TOKEN may be the name of a file with the token; TOKEN or the key set's FILE may be - for standard input.
        Whether a nonce is one of POST /api/auth/challenge, and whether a token has been used, only the server knows.

        For the provider apple, see gatehouse apple verify --help.
        """
    let parameters = ["PROVIDER", "TOKEN"]
    let options =
        [
            Option(name: "--jwks", value: "FILE", help: "the provider's key set, instead of fetching it"),
            Option(name: "--nonce", value: "N", help: "the nonce sent with the login"),
            Option(name: "--access-token", value: "T", help: "the provider's access token sent with the login"),
        ] + TokenVerification.appleOptions + TokenVerification.options

    func run(_ arguments: Arguments) throws(CommandError) -> ExitStatus {
        try TokenVerification(of: arguments.positional[0], arguments).run(on: arguments.positional[1])
    }
}

/// `identity verify apple`, by its former name.
struct AppleVerifyCommand: Command {
    let words = ["apple", "verify"]
    let summary = "Verify an identity token from Apple with a key set."
    let discussion = """
        Prints the claims of the token and exits 0, or prints the reason of the refusal and exits 1. Sends no request.
        Writes a line for each check to standard error, in order: ok, FAULT, or - if it was not made. With --json all is
        one document: ok; checks, each with subject, state (ok, fault, skipped) and message; reason and detail of a
        refusal; claims of a valid token.

        TOKEN is the token, or the body of a login: a JSON object with identityToken and, if the app sends them, nonce,
        authorizationCode and userIdentifier. TOKEN may be the name of a file with either; TOKEN or the key set's FILE
        may be - for standard input.

        Without --audience, a login is verified as the server does it: with APPLE_BUNDLE_ID, APPLE_ISSUER and APPLE_NONCE
        of the environment or the configuration file. Nonces of the challenge endpoint are verified with
        JWT_REFRESH_SECRET. With --audience, no configuration is read, except JWT_REFRESH_SECRET for --challenge.
        Whether a token or a nonce has been used, only the server knows.
        """
    let parameters = ["TOKEN"]
    let options =
        [
            Option(name: "--jwks", value: "FILE", help: "Apple's key set", isRequired: true),
            Option(name: "--nonce", value: "N", help: "the nonce sent with the login"),
        ] + TokenVerification.appleOptions + TokenVerification.options

    func run(_ arguments: Arguments) throws(CommandError) -> ExitStatus {
        try TokenVerification(of: TokenVerification.apple, arguments).run(on: arguments.positional[0])
    }
}

/// The verification of one provider's token. The server's code decides, and the report describes what it has checked.
struct TokenVerification {
    static let apple = Provider.apple.lowercaseName

    /// What only Apple's logins have.
    static let appleOptions = [
        Option(name: "--audience", value: "ID", help: "a bundle id or Services ID; may be repeated"),
        Option(name: "--issuer", value: "I", help: "instead of https://appleid.apple.com; may be repeated"),
        Option(name: "--challenge", help: "the nonce must be one of POST /api/auth/apple/challenge"),
        Option(name: "--code", value: "C", help: "the authorizationCode sent with the login"),
        Option(name: "--user", value: "U", help: "the userIdentifier sent with the login"),
        Option(name: "--notification", help: "TOKEN is a notification from Apple's servers"),
    ]
    static let options = [
        Option(name: "--at", value: "UNIXTIME", help: "verify as of this time instead of now"),
        Option(name: "--quiet", help: "do not print a line for each check"),
        .json,
    ]

    private let issuer: TokenIssuer
    private let keys: JWKSet
    private let now: Timestamp
    private let arguments: Arguments

    /// - Parameter name: of the provider, from the command line.
    init(of name: String, _ arguments: Arguments) throws(CommandError) {
        if arguments.has("--notification"), arguments.has("--challenge") {
            throw CommandError(.usage, "--challenge is about logins; leave it out with --notification")
        }
        let foreign = name == Self.apple ? ["--access-token"] : Self.appleOptions.map(\.name)
        if let option = foreign.first(where: arguments.has) {
            throw CommandError(.usage, "\(option) is not for tokens of \(name.printable)")
        }
        now = Timestamp(milliseconds: try arguments.effectiveTime { Timestamp(written: $0)?.milliseconds })
        issuer = name == Self.apple ? try TokenIssuer(apple: arguments) : try TokenIssuer(file: name)
        keys = try issuer.keys(from: arguments.value("--jwks"))
        self.arguments = arguments
    }

    /// - Parameter argument: a token, or the body of a login with Apple.
    func run(on argument: String) throws(CommandError) -> ExitStatus {
        let input = try TokenInput(argument, mayBeBody: issuer.name == .apple)
        if arguments.has("--notification") { return print(verify(notification: try input.notification()), []) }
        let credential = try input.credential(arguments)
        let checks = issuer.rules.checks
        var passed: [IdentityTokenCheck] = []
        let verdict = verify(credential) { if checks.contains($0) { passed.append($0) } }
        let report = IdentityTokenReport(credential, rules: issuer.rules, keys: keys, now: now)
        return print(verdict, report.checks(passed: passed) + report.checks(by: issuer.server, passed: passed))
    }

    private func verify(
        _ credential: IdentityCredential, passed: IdentityTokenCheck.Observer
    ) -> Result<JSONObject, IdentityFault> {
        Result { () throws(IdentityFault) in
            let token = try IdentityToken(
                credential.identityToken ?? "", rules: issuer.rules, now: now, passed: passed)
            let candidates = keys.keys(for: token.key)
            guard !candidates.isEmpty else { throw .unknownKey }
            passed(.key)
            _ = try token.proven(
                of: issuer.name, by: issuer.rules, with: candidates, for: credential, now: now, passed: passed)
            if case .challenges(let rule) = issuer.server { try rule.check(credential, now: now) }
            return token.claims.object
        }
    }

    private func verify(notification text: String) -> Result<JSONObject, IdentityFault> {
        Result { () throws(IdentityFault) in
            let signed = try SignedNotification(text, rules: issuer.rules, now: now)
            let candidates = keys.keys(for: signed.key)
            guard !candidates.isEmpty else { throw .unknownKey }
            _ = try signed.confirmed(by: candidates)
            return signed.claims.object
        }
    }

    private func print(_ verdict: Result<JSONObject, IdentityFault>, _ checks: [VerifiedCheck]) -> ExitStatus {
        let verdict = verdict.mapError {
            VerifiedToken.Refusal(reason: $0.reason.rawValue, detail: $0.explanation(by: issuer.name))
        }
        return VerifiedToken(verdict: verdict, checks: checks).print(for: arguments)
    }
}

/// A token, or the request body that contains it.
private enum TokenInput {
    case token(String)
    case body([UInt8])

    /// - Parameter argument: the token or the body itself, the name of a file with it, or `-` for standard input.
    init(_ argument: String, mayBeBody: Bool) throws(CommandError) {
        let bytes = try TokenArgument.bytes(argument)
        let isBody = mayBeBody && bytes.first { !" \t\r\n".utf8.contains($0) } == UInt8(ascii: "{")
        self = isBody ? .body(bytes) : .token(TokenArgument.token(in: bytes))
    }

    /// The login. Options take the place of the members of a body.
    func credential(_ arguments: Arguments) throws(CommandError) -> IdentityCredential {
        var credential: IdentityCredential
        switch self {
        case .token(let text): credential = IdentityCredential(identityToken: text)
        case .body(let bytes): credential = try Self.read(AppleLoginBody.self, from: bytes).login.credential
        }
        credential.code = arguments.value("--code") ?? credential.code
        credential.userIdentifier = arguments.value("--user") ?? credential.userIdentifier
        credential.nonce = arguments.value("--nonce") ?? credential.nonce
        credential.accessToken = arguments.value("--access-token") ?? credential.accessToken
        return credential
    }

    /// The payload of a notification.
    func notification() throws(CommandError) -> String {
        switch self {
        case .token(let text): text
        case .body(let bytes): try Self.read(AppleNotificationBody.self, from: bytes).payload
        }
    }

    /// Reads a body as the server does, so that it finds the same faults.
    private static func read<Body: RequestBody>(_: Body.Type, from bytes: [UInt8]) throws(CommandError) -> Body {
        do { return try Body(parsing: bytes) } catch {
            switch error {
            case .invalidJSON(let fault): throw CommandError(.usage, "\(error.code): \(fault)")
            case .invalidRequest(let faults): throw CommandError(.usage, error.code, details: faults.map(\.sentence))
            default: throw CommandError(.usage, error.code)
            }
        }
    }
}

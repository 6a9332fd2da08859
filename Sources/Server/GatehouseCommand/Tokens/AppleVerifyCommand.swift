import CommandLineTool
import FileSystem
import Gatehouse
import GatehouseWeb
import IdentityProviders
import JOSE
import JSON

/// Verifies an identity token with the code that verifies logins.
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
    let options = [
        Option(name: "--jwks", value: "FILE", help: "Apple's key set", isRequired: true),
        Option(name: "--audience", value: "ID", help: "a bundle id or Services ID; may be repeated"),
        Option(name: "--issuer", value: "I", help: "instead of https://appleid.apple.com; may be repeated"),
        Option(name: "--nonce", value: "N", help: "the nonce sent with the login"),
        Option(name: "--challenge", help: "the nonce must be one of POST /api/auth/apple/challenge"),
        Option(name: "--code", value: "C", help: "the authorizationCode sent with the login"),
        Option(name: "--user", value: "U", help: "the userIdentifier sent with the login"),
        Option(name: "--notification", help: "TOKEN is a notification from Apple's servers"),
        Option(name: "--at", value: "UNIXTIME", help: "verify as of this time instead of now"),
        Option(name: "--quiet", help: "do not print a line for each check"),
        .json,
    ]

    func run(_ arguments: Arguments) throws(CommandError) -> ExitStatus {
        if arguments.has("--notification"), arguments.has("--challenge") {
            throw CommandError(.usage, "--challenge is about logins; leave it out with --notification")
        }
        let keys = try KeySetFile(arguments.value("--jwks") ?? "")
        let now = Timestamp(milliseconds: try arguments.effectiveTime { Timestamp(written: $0)?.milliseconds })
        let rules = try AppleLoginRules(arguments)
        let input = try AppleInput(arguments.positional[0])
        if arguments.has("--notification") {
            let text = try input.notification()
            return print(verify(notification: text, by: rules.policy, keys: keys.appleKeys, now: now), [], arguments)
        }
        let credential = try input.credential(arguments)
        var passed: [IdentityTokenCheck] = []
        let verdict = verify(credential, by: rules, keys: keys.appleKeys, now: now) { passed.append($0) }
        let report = IdentityTokenReport(
            credential, rules: ReportedRules(rules.policy), keys: keys.appleKeys, now: now)
        let checks = report.checks(passed: passed) + report.checks(on: rules.challenges, passed: passed)
        return print(verdict.map(\.claims.object), checks, arguments)
    }

    private func verify(
        _ credential: IdentityCredential, by rules: AppleLoginRules, keys: JWKSet, now: Timestamp,
        passed: IdentityTokenCheck.Observer
    ) -> Result<IdentityToken, IdentityFault> {
        let verifier = IdentityTokenVerifier(policy: rules.policy)
        return Result { () throws(IdentityFault) in
            let token = try verifier.inspect(credential.identityToken ?? "", now: now, passed: passed)
            guard let key = keys[token.keyID] else { throw .unknownKey }
            passed(.key)
            _ = try verifier.confirm(token, with: key, for: credential, passed: passed)
            try rules.challenges?.check(credential, now: now)
            return token
        }
    }

    private func verify(
        notification text: String, by policy: IdentityTokenPolicy, keys: JWKSet, now: Timestamp
    ) -> Result<JSONObject, IdentityFault> {
        Result { () throws(IdentityFault) in
            let signed = try SignedNotification(text, policy: policy, now: now)
            guard let key = keys[signed.keyID] else { throw .unknownKey }
            _ = try signed.confirmed(by: key)
            return signed.claims.object
        }
    }

    private func print(
        _ verdict: Result<JSONObject, IdentityFault>, _ checks: [VerifiedCheck], _ arguments: Arguments
    ) -> ExitStatus {
        let verdict = verdict.mapError {
            VerifiedToken.Refusal(reason: $0.reason.rawValue, detail: $0.explanation(by: .apple))
        }
        return VerifiedToken(verdict: verdict, checks: checks).print(for: arguments)
    }
}

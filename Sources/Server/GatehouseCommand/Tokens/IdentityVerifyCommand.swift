import CommandLineTool
import Gatehouse
import GatehouseWeb
import IdentityProviders
import JOSE
import JSON

/// Verifies an identity token of an OpenID provider with the code that verifies logins.
struct IdentityVerifyCommand: Command {
    let words = ["identity", "verify"]
    let summary = "Verify an identity token of an OpenID provider."
    let discussion = """
        Verifies as a login with the provider is verified: with its file in PROVIDERS_DIR, and with its keys, which are
        fetched from it unless --jwks names a file. Prints the claims of the token and exits 0, or prints the reason of the
        refusal and exits 1. Exits 2 if no OpenID provider has the name PROVIDER, and 3 if the keys cannot be fetched.

        Writes a line for each check to standard error, in order: ok, FAULT, or - if it was not made. With --json all is
        one document: ok; checks, each with subject, state (ok, fault, skipped) and message; reason and detail of a
        refusal; claims of a valid token.

        TOKEN may be the name of a file with the token; TOKEN or the key set's FILE may be - for standard input.
        Whether a nonce is one of POST /api/auth/challenge, and whether a token has been used, only the server knows.
        """
    let parameters = ["PROVIDER", "TOKEN"]
    let options = [
        Option(name: "--jwks", value: "FILE", help: "the provider's key set, instead of fetching it"),
        Option(name: "--nonce", value: "N", help: "the nonce sent with the login"),
        Option(name: "--access-token", value: "T", help: "the provider's access token sent with the login"),
        Option(name: "--at", value: "UNIXTIME", help: "verify as of this time instead of now"),
        Option(name: "--quiet", help: "do not print a line for each check"),
        .json,
    ]

    func run(_ arguments: Arguments) throws(CommandError) -> ExitStatus {
        let now = Timestamp(milliseconds: try arguments.effectiveTime { Timestamp(written: $0)?.milliseconds })
        let provider = try OpenIDSettings(of: arguments.positional[0])
        let token = TokenArgument.token(in: try TokenArgument.bytes(arguments.positional[1]))
        let keys = try provider.keys(from: arguments.value("--jwks"))
        let credential = IdentityCredential(
            identityToken: token, nonce: arguments.value("--nonce"), accessToken: arguments.value("--access-token"))
        var passed: [IdentityTokenCheck] = []
        let verdict = verify(credential, by: provider.policy, keys: keys, now: now) { passed.append($0) }
        let report = IdentityTokenReport(credential, rules: ReportedRules(provider.policy), keys: keys, now: now)
        let refusal = verdict.mapError {
            VerifiedToken.Refusal(reason: $0.reason.rawValue, detail: $0.explanation(by: provider.name))
        }
        let checks = report.checks(passed: passed) + report.checksOfServer(passed: passed)
        return VerifiedToken(verdict: refusal, checks: checks).print(for: arguments)
    }

    private func verify(
        _ credential: IdentityCredential, by policy: OpenIDPolicy, keys: JWKSet, now: Timestamp,
        passed: IdentityTokenCheck.Observer
    ) -> Result<JSONObject, IdentityFault> {
        let verifier = IdentityTokenVerifier(openID: policy)
        return Result { () throws(IdentityFault) in
            let token = try verifier.inspect(credential.identityToken ?? "", now: now, passed: passed)
            let candidates = keys.keys(for: token.key)
            guard !candidates.isEmpty else { throw .unknownKey }
            passed(.key)
            _ = try verifier.confirm(token, with: candidates, for: credential) { check in
                // No user is sent with a login by an OpenID provider.
                if check != .user { passed(check) }
            }
            return token.claims.object
        }
    }
}

extension IdentityTokenReport {
    /// What only the server can check, after the checks of the token.
    fileprivate func checksOfServer(passed: [IdentityTokenCheck]) -> [VerifiedCheck] {
        let subjects = rules.openID?.nonce == .challenge ? ["challenge", "used"] : ["used"]
        guard passed.count == rules.checks.count else { return subjects.map(VerifiedCheck.notMade) }
        return subjects.map { subject in
            let fact = subject == "used" ? "the token has been used" : "it has issued the nonce"
            return VerifiedCheck(.skipped, subject, "not checked: only the server knows whether \(fact)")
        }
    }
}

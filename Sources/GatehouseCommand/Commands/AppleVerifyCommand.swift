import AppleID
import Gatehouse
import GatehouseWeb
import JOSE
import JSON
import POSIX

/// Looks at an identity token with the very code that looks at a login's.
struct AppleVerifyCommand: Command {
    let words = ["apple", "verify"]
    let summary = "Check an identity token from Apple against a key set."
    let discussion = """
        Prints the token's claims and exits 0, or prints the reason of the refusal and exits 1. Nothing is fetched.
        Standard error gets a line for each check, in order: ok, FAULT, or - for what was not looked at.
        TOKEN or FILE may be - for standard input.
        """
    let arguments = ["TOKEN"]
    let options = [
        Option(name: "--jwks", value: "FILE", help: "Apple's key set", isRequired: true),
        Option(
            name: "--audience", value: "ID", help: "a bundle id or Services ID; may be given again", isRequired: true),
        Option(name: "--issuer", value: "I", help: "instead of https://appleid.apple.com; may be given again"),
        Option(name: "--nonce", value: "N", help: "the nonce sent with the login"),
        Option(name: "--code", value: "C", help: "the authorizationCode sent with the login"),
        Option(name: "--user", value: "U", help: "the userIdentifier sent with the login"),
        Option(name: "--notification", value: nil, help: "TOKEN is a notification from Apple's servers, and no login"),
        Option(name: "--at", value: "UNIXTIME", help: "judge as of this moment instead of now"),
        Option(name: "--quiet", value: nil, help: "no line for each check"),
    ]

    func run(_ input: Input) throws(CommandFault) -> ExitStatus {
        let keys = try KeySetFile(input.value("--jwks") ?? "")
        let now = try Moment.read(input)
        let text = try TokenArgument.read(input.arguments[0])
        if input.has("--notification") {
            return answer(judge(notification: text, by: policy(input), keys: keys.appleKeys, now: now))
        }
        let credential = AppleCredential(
            identityToken: text, authorizationCode: input.value("--code"),
            userIdentifier: input.value("--user"), nonce: input.value("--nonce"))
        let policy = policy(input)
        var passed: [IdentityTokenCheck] = []
        let verdict = judge(credential, by: policy, keys: keys.appleKeys, now: now) { passed.append($0) }
        if !input.has("--quiet") {
            let report = AppleVerifyReport(credential, policy: policy, keys: keys.appleKeys, now: now)
            for line in report.lines(passed: passed) { StandardStream.error.line(line) }
        }
        return answer(verdict.map(\.claims.object))
    }

    private func policy(_ input: Input) -> IdentityTokenPolicy {
        let issuers = input.all("--issuer")
        return IdentityTokenPolicy(
            issuers: issuers.isEmpty ? [IdentityTokenPolicy.appleIssuer] : issuers, audiences: input.all("--audience"))
    }

    private func judge(
        _ credential: AppleCredential, by policy: IdentityTokenPolicy, keys: JWKSet, now: Timestamp,
        passed: IdentityTokenCheck.Observer
    ) -> Result<IdentityToken, AppleTokenFault> {
        let verifier = IdentityTokenVerifier(policy: policy)
        return Result { () throws(AppleTokenFault) in
            let token = try verifier.inspect(credential.identityToken, now: now, passed: passed)
            guard let key = keys[token.keyID] else { throw .unknownKey }
            passed(.key)
            _ = try verifier.confirm(token, with: key, for: credential, passed: passed)
            return token
        }
    }

    private func judge(
        notification text: String, by policy: IdentityTokenPolicy, keys: JWKSet, now: Timestamp
    ) -> Result<JSONObject, AppleTokenFault> {
        Result { () throws(AppleTokenFault) in
            let signed = try SignedNotification(text, policy: policy, now: now)
            guard let key = keys[signed.keyID] else { throw .unknownKey }
            _ = try signed.confirmed(by: key)
            return signed.claims.object
        }
    }

    private func answer(_ verdict: Result<JSONObject, AppleTokenFault>) -> ExitStatus {
        switch verdict {
        case .success(let claims):
            StandardStream.output.line(claims.description)
            return .done
        case .failure(let fault):
            StandardStream.output.line("\(fault.rawValue): \(fault.explanation)")
            return .no
        }
    }
}

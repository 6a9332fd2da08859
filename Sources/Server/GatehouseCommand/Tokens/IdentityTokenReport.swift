import Gatehouse
import IdentityProviders
import JOSE
import JSON

/// Explains a verification to a developer whose login fails: each check in order, and its result. The verifier decides,
/// and this only describes. Prints claims, but never the token.
struct IdentityTokenReport {
    let credential: IdentityCredential
    let rules: TokenRules
    let keys: JWKSet
    let now: Timestamp
    let token: String
    let form: Result<CompactJWS, MalformedJWS>
    let claims: JSONObject

    init(_ credential: IdentityCredential, rules: TokenRules, keys: JWKSet, now: Timestamp) {
        (self.credential, self.rules, self.keys, self.now) = (credential, rules, keys, now)
        let token = credential.identityToken ?? ""
        self.token = token
        form = Result { () throws(MalformedJWS) in try CompactJWS(token, maximumBytes: IdentityToken.longest) }
        claims = (try? form.get().claims()) ?? [:]
    }

    /// Each check. If the token was refused, the first one that did not pass is the fault.
    func checks(passed: [IdentityTokenCheck]) -> [VerifiedCheck] {
        rules.checks.enumerated().map { index, check in
            if index < passed.count {
                return skipReason(check).map { VerifiedCheck(.skipped, check.rawValue, $0) }
                    ?? VerifiedCheck(.ok, check.rawValue, finding(check))
            }
            return index == passed.count
                ? VerifiedCheck(.fault, check.rawValue, fault(check)) : .notMade(check.rawValue)
        }
    }

    /// Why a check passed because there was nothing to compare; nil if there was.
    private func skipReason(_ check: IdentityTokenCheck) -> String? {
        switch check {
        case .code where credential.code == nil: "not compared: no --code was given"
        case .code where present("c_hash") == nil: "not compared: the token has no c_hash"
        case .accessToken where credential.accessToken == nil: "not compared: no --access-token was given"
        case .accessToken where present("at_hash") == nil: "not compared: the token has no at_hash"
        case .user where credential.userIdentifier == nil: "not compared: no --user was given"
        case .authorizedParty where present("azp") == nil: "not compared: the token has no azp"
        case .requiredClaims where rules.required.isEmpty: "not compared: REQUIRE is not set"
        case .nonce where rules.nonce == .ifSent && credential.nonce == nil:
            tokenNonce.map { "not compared: the token has \(shown($0)), and no --nonce was given" }
        default: nil
        }
    }

    /// What a passed check has verified.
    private func finding(_ check: IdentityTokenCheck) -> String {
        switch check {
        case .form: "three parts, \(token.utf8.count) bytes"
        case .algorithm: shown(algorithm)
        case .keyID: keyID.map { shown($0) } ?? "none: each key for \(shown(algorithm)) is tried"
        case .type: type.map { shown($0) } ?? "none"
        case .claims: claims.names.map { shown($0) }.joined(separator: ", ")
        case .subject: shown(claims["sub"])
        case .issuer: shown(claims["iss"])
        case .audience: shown(claims["aud"])
        case .authorizedParty: shown(claims["azp"])
        case .times: "issued \(moment("iat")), expires \(moment("exp")), verified as of \(now)"
        case .requiredClaims: rules.required.map { "\($0.name)=\($0.value)" }.joined(separator: ", ")
        case .key: keyID.map { "\(shown($0)) is in the key set" } ?? "the set has a key for \(shown(algorithm))"
        case .signature: keyID.map { "made with the key \(shown($0))" } ?? "made with a key of the set"
        case .nonce: tokenNonce == nil ? nonceFinding : "the token's nonce matches the one sent"
        case .code: "the token's c_hash matches the code sent"
        case .accessToken: "the token's at_hash matches the access token"
        case .user: "the token's sub is the user sent"
        }
    }

    private var nonceFinding: String {
        credential.nonce == nil ? "neither the token nor the login has one" : "none, and nonce_supported is false"
    }
}

extension IdentityTokenReport {
    var algorithm: String? { try? form.get().algorithmName }

    var keyID: String? { try? form.get().keyID }

    var type: String? { try? form.get().type }

    var tokenNonce: JSONValue? { present("nonce") }

    /// Nil if the claim is missing or `null`.
    func present(_ claim: String) -> JSONValue? {
        guard let value = claims[claim], !value.isNull else { return .none }
        return value
    }

    func moment(_ claim: String) -> String {
        guard let seconds = claims[claim]?.number, abs(seconds) < 1e11 else { return shown(claims[claim]) }
        return "\(Timestamp(seconds: Int64(seconds)))"
    }

    func shown(_ text: String?) -> String { VerifiedCheck.shown(text.map(JSONValue.string)) }

    func shown(_ value: JSONValue?) -> String { VerifiedCheck.shown(value) }
}

/// The checks that depend on the installation, after those of the token.
extension IdentityTokenReport {
    /// None if no installation is described.
    func checks(by server: TokenIssuer.ServerChecks, passed: [IdentityTokenCheck]) -> [VerifiedCheck] {
        let isPassed = passed.count == rules.checks.count
        let unused = "not checked: only the server knows whether the token"
        switch server {
        case .none: return []
        case .challenges(let rule):
            guard isPassed else { return [.notMade("challenge"), .notMade("used")] }
            return [
                challengeCheck(rule), VerifiedCheck(.skipped, "used", "\(unused) or its nonce has been used"),
            ]
        case .unknown:
            let subjects = rules.nonce == .challenge ? ["challenge", "used"] : ["used"]
            guard isPassed else { return subjects.map(VerifiedCheck.notMade) }
            let issued = "not checked: only the server knows whether it has issued the nonce"
            return subjects.map {
                VerifiedCheck(.skipped, $0, $0 == "used" ? "\(unused) has been used" : issued)
            }
        }
    }

    private func challengeCheck(_ rule: ChallengeRule) -> VerifiedCheck {
        let challenge = rule.challenge(credential.nonce)
        let fault = Challenge.fault(of: challenge, sentAs: credential.nonce, isRequired: rule.isRequired, now: now)
        switch (fault, challenge) {
        case (nil, let challenge?):
            return VerifiedCheck(.ok, "challenge", "issued by this installation, expires \(challenge.expiresAt)")
        case (nil, nil): return VerifiedCheck(.skipped, "challenge", skipReason(rule))
        case (.challengeExpired?, let challenge?):
            let message = "it expired at \(challenge.expiresAt), which is not after \(now)"
            return VerifiedCheck(.fault, "challenge", message)
        default:
            return VerifiedCheck(.fault, "challenge", "the nonce is not of this installation's challenge endpoint")
        }
    }

    private func skipReason(_ rule: ChallengeRule) -> String {
        if credential.nonce == nil { return "not checked: the login has no nonce, and none is required" }
        if rule.keys == nil { return "not checked: JWT_REFRESH_SECRET is not set, or this user cannot read it" }
        return "the nonce is the app's own, which the configuration allows"
    }
}

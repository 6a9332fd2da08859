import Gatehouse
import IdentityProviders
import JOSE
import JSON

/// Explains a verification to a developer whose login fails: each check in order, and its result. The verifier decides,
/// and this only describes. Prints claims, but never the token.
struct AppleVerifyReport {
    let credential: IdentityCredential
    let policy: IdentityTokenPolicy
    let keys: JWKSet
    let now: Timestamp
    private let token: String
    private let form: Result<CompactJWS, MalformedJWS>
    private let claims: JSONObject

    init(_ credential: IdentityCredential, policy: IdentityTokenPolicy, keys: JWKSet, now: Timestamp) {
        self.credential = credential
        self.policy = policy
        self.keys = keys
        self.now = now
        let token = credential.identityToken ?? ""
        self.token = token
        form = Result { () throws(MalformedJWS) in try CompactJWS(token, maximumBytes: IdentityToken.longest) }
        claims = (try? form.get().claims()) ?? [:]
    }

    /// Each check. If the token was refused, the first one that did not pass is the fault.
    func checks(passed: [IdentityTokenCheck]) -> [VerifiedCheck] {
        IdentityTokenCheck.allCases.enumerated().map { index, check in
            if index < passed.count {
                return isSkipped(check)
                    ? VerifiedCheck(.skipped, check.rawValue, skipReason(check))
                    : VerifiedCheck(.ok, check.rawValue, finding(check))
            }
            return index == passed.count
                ? VerifiedCheck(.fault, check.rawValue, fault(check)) : .notMade(check.rawValue)
        }
    }
}

extension AppleVerifyReport {
    /// What a passed check has verified.
    private func finding(_ check: IdentityTokenCheck) -> String {
        switch check {
        case .form: "three parts, \(token.utf8.count) bytes"
        case .algorithm: shown(algorithm)
        case .keyID: shown(keyID)
        case .claims: claims.names.map { shown($0) }.joined(separator: ", ")
        case .subject: shown(claims["sub"])
        case .issuer: shown(claims["iss"])
        case .audience: shown(claims["aud"])
        case .times: "issued \(moment("iat")), expires \(moment("exp")), verified as of \(now)"
        case .key: "\(shown(keyID)) is in the key set"
        case .signature: "made with the key \(shown(keyID))"
        case .nonce: tokenNonce == nil ? nonceFinding : "the token's nonce matches the one sent"
        case .code: "the token's c_hash matches the code sent"
        case .user: "the token's sub is the user sent"
        }
    }

    /// The fault of a check that did not pass.
    private func fault(_ check: IdentityTokenCheck) -> String {
        switch check {
        case .form: formFault
        case .algorithm: "\(shown(algorithm)) is not RS256"
        case .keyID: "the header has no kid"
        case .claims: claimsFault
        case .subject: "sub must be a text of 1 to 256 bytes, and is \(shown(claims["sub"]))"
        case .issuer: "\(shown(claims["iss"])) is not one of \(policy.issuers.joined(separator: ", "))"
        case .audience: "\(shown(claims["aud"])) is not one of \(policy.audiences.joined(separator: ", "))"
        case .times: timesFault
        case .key: "\(shown(keyID)) is not one of \(keys.keyIDs.map { shown($0) }.joined(separator: ", "))"
        case .signature: "not valid for the key \(shown(keyID)) and these bytes"
        case .nonce: nonceFault
        case .code: "the token's c_hash belongs to another code"
        case .user: "\(shown(claims["sub"])) is the token's sub, \(shown(credential.userIdentifier)) was sent"
        }
    }

    private var formFault: String {
        guard case .failure(let error) = form else { return "" }
        return "malformed: \(error), \(token.utf8.count) bytes"
    }

    private var claimsFault: String {
        do throws(MalformedJWS) {
            _ = try form.get().claims()
            return "it has events: for a notification from Apple's servers, use --notification"
        } catch {
            return error.description
        }
    }

    private var timesFault: String {
        guard claims["iat"]?.number != nil, claims["exp"]?.number != nil else {
            return "iat and exp must be numbers, and are \(shown(claims["iat"])) and \(shown(claims["exp"]))"
        }
        let leeway = "with \(policy.leeway.wholeSeconds) s of leeway"
        return "issued \(moment("iat")), expires \(moment("exp")), which does not include \(now) \(leeway)"
    }

    private var tokenNonce: JSONValue? { present("nonce") }

    /// Nil if the claim is missing or `null`.
    private func present(_ claim: String) -> JSONValue? {
        guard let value = claims[claim], !value.isNull else { return .none }
        return value
    }

    private var nonceFinding: String {
        credential.nonce == nil ? "neither the token nor the login has one" : "none, and nonce_supported is false"
    }

    private var nonceFault: String {
        switch (tokenNonce, credential.nonce) {
        case (nil, nil): "neither the token nor the login has one, and one is required"
        case (let claim?, nil): "the token has \(shown(claim)), and none was sent: pass it with --nonce"
        case (nil, _?): "the token has none, and \(shown(credential.nonce)) was sent"
        case (let claim?, _?): "\(shown(claim)) is neither \(shown(credential.nonce)) nor its SHA-256 in hexadecimal"
        }
    }
}

extension AppleVerifyReport {
    /// Whether the check passed because there was nothing to compare.
    private func isSkipped(_ check: IdentityTokenCheck) -> Bool {
        switch check {
        case .code: credential.code == nil || present("c_hash") == nil
        case .user: credential.userIdentifier == nil
        default: false
        }
    }

    private func skipReason(_ check: IdentityTokenCheck) -> String {
        switch check {
        case .code where credential.code != nil: "not compared: the token has no c_hash"
        case .code: "not compared: no --code was given"
        default: "not compared: no --user was given"
        }
    }

    private var algorithm: String? { try? form.get().algorithmName }

    private var keyID: String? { try? form.get().keyID }

    private func moment(_ claim: String) -> String {
        guard let seconds = claims[claim]?.number, abs(seconds) < 1e11 else { return shown(claims[claim]) }
        return "\(Timestamp(seconds: Int64(seconds)))"
    }

    private func shown(_ text: String?) -> String { VerifiedCheck.shown(text.map(JSONValue.string)) }

    private func shown(_ value: JSONValue?) -> String { VerifiedCheck.shown(value) }
}

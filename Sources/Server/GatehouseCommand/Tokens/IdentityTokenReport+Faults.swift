import Gatehouse
import IdentityProviders
import JOSE
import JSON

extension IdentityTokenReport {
    /// The fault of a check that did not pass.
    func fault(_ check: IdentityTokenCheck) -> String {
        switch check {
        case .form: formFault
        case .algorithm: notOne(algorithm.map(JSONValue.string), of: rules.algorithms.map(\.rawValue))
        case .keyID: "the header has no kid"
        case .type: "typ must be JWT or missing, and is \(shown(type))"
        case .claims: claimsFault
        case .subject: "sub must be a text of 1 to \(rules.user.longestSubject) bytes, and is \(shown(claims["sub"]))"
        case .issuer: "\(shown(claims["iss"])) is not one of \(rules.issuers.joined(separator: ", "))"
        case .audience: "\(shown(claims["aud"])) is not one of \(rules.audiences.joined(separator: ", "))"
        case .authorizedParty: authorizedPartyFault
        case .times: timesFault
        case .requiredClaims: requiredFault
        case .key: keyFault
        case .signature: signatureFault
        case .nonce: nonceFault
        case .code: "the token's c_hash belongs to another code"
        case .accessToken: "the token's at_hash belongs to another access token"
        case .user: "\(shown(claims["sub"])) is the token's sub, \(shown(credential.userIdentifier)) was sent"
        }
    }

    private func notOne(_ value: JSONValue?, of accepted: [String]) -> String {
        "\(shown(value)) is not \(accepted.count > 1 ? "one of " : "")\(accepted.joined(separator: ", "))"
    }

    private var formFault: String {
        guard case .failure(let error) = form else { return "" }
        return "malformed: \(error), \(token.utf8.count) bytes"
    }

    private var claimsFault: String {
        do throws(MalformedJWS) {
            _ = try form.get().claims()
            return rules.user == .apple
                ? "it has events: for a notification from Apple's servers, use --notification"
                : "it has events: it is a notification from the provider's servers, not an identity token"
        } catch {
            return error.description
        }
    }

    private var authorizedPartyFault: String {
        guard let party = present("azp") else { return "aud has other clients, and the token has no azp" }
        return notOne(party, of: rules.audiences + rules.authorizedParties)
    }

    private var timesFault: String {
        guard claims["iat"]?.number != nil, claims["exp"]?.number != nil else {
            return "iat and exp must be numbers, and are \(shown(claims["iat"])) and \(shown(claims["exp"]))"
        }
        if rules.maximumAge != nil, let issued = claims["iat"]?.number, let expires = claims["exp"]?.number,
            expires > issued + 86_400
        {
            return "issued \(moment("iat")), expires \(moment("exp")), which is more than a day"
        }
        let leeway = "with \(rules.leeway.wholeSeconds) s of leeway"
        let age = rules.maximumAge.map { " and a MAX_AGE of \($0.wholeSeconds) s" } ?? ""
        return "issued \(moment("iat")), expires \(moment("exp")), which does not include \(now) \(leeway)\(age)"
    }

    private var requiredFault: String {
        let values = rules.required.map { "\($0.name)=\($0.value)" }.joined(separator: ", ")
        let found = rules.required.map { "\($0.name) is \(shown(claims[$0.name]))" }.joined(separator: ", ")
        return "\(values) is required, and \(found)"
    }

    private var keyFault: String {
        guard let keyID else { return "the set has no key for \(shown(algorithm))" }
        return "\(shown(keyID)) is not one of \(keys.keyIDs.map { shown($0) }.joined(separator: ", "))"
    }

    private var signatureFault: String {
        guard let keyID else { return "not valid for a key of the set and these bytes" }
        guard keys.keys(withID: keyID).contains(where: { $0.algorithm.rawValue == algorithm }) else {
            return "the key \(shown(keyID)) is not for \(shown(algorithm))"
        }
        return "not valid for the key \(shown(keyID)) and these bytes"
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

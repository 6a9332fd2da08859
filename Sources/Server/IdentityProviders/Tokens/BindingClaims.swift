import Gatehouse
import JOSE
import JSON
import OpenSSL
import Text

/// The claims that bind an identity token to the request that contained it: nonce, authorization code or access token,
/// and user.
struct BindingClaims {
    let token: IdentityToken
    let credential: IdentityCredential

    private var claims: JSONObjectReader { token.claims }

    func check(by rules: TokenRules, passed: IdentityTokenCheck.Observer) throws(IdentityFault) {
        try checkNonce(by: rules)
        passed(.nonce)
        switch rules.secret {
        case .code(let demandsHash):
            try checkCode(demandsHash: demandsHash)
            passed(.code)
        case .accessToken:
            try checkAccessToken()
            passed(.accessToken)
        }
        try checkUser()
        passed(.user)
    }

    /// Providers copy into the token what the app passed: the nonce itself, or its SHA-256 in hexadecimal.
    private func checkNonce(by rules: TokenRules) throws(IdentityFault) {
        switch (nonceClaim, credential.nonce) {
        case (nil, nil):
            if let missing = rules.nonce.missing { throw .nonce(missing) }
        case (nil, _?):
            // On a device that does not support nonces, Apple leaves the nonce out and says so in the token.
            guard rules.user.canDenyNonces, claims["nonce_supported"]?.flag == false else {
                throw .nonce(.notInToken)
            }
            guard rules.nonce.missing == nil else { throw .nonce(.unsupportedByDevice) }
        case (_?, nil) where rules.nonce == .ifSent: return
        case (_?, nil):
            throw .nonce(.notSent)
        case (let claim?, let sent?):
            // An empty one is no secret: a token with an empty claim would fit every request.
            guard let claim = claim.string, !sent.isEmpty else { throw .nonce(.different) }
            guard isNonce(claim, sent: sent) else { throw .nonce(difference(claim, sent: sent)) }
        }
    }

    /// The usual mistakes of an app, for the answer.
    private func difference(_ claim: String, sent: String) -> NonceFault {
        let hash = SHA256.hash(sent)
        if isSame(claim.lowercased(), Hexadecimal.text(hash)) || Base64Text.decode(claim) == hash {
            return .hashInOtherForm
        }
        return isSame(sent, Hexadecimal.text(SHA256.hash(claim))) ? .swapped : .different
    }

    /// A nonce of `null` counts as none. It is `.none` here, because `nil` would become `JSONValue.null`.
    private var nonceClaim: JSONValue? {
        guard let claim = claims["nonce"], !claim.isNull else { return .none }
        return claim
    }

    private func isNonce(_ claim: String, sent: String) -> Bool {
        isSame(claim, sent) || isSame(claim, Hexadecimal.text(SHA256.hash(sent)))
    }

    /// OpenID Connect Core 1.0, section 3.3.2.11.
    private func checkCode(demandsHash: Bool) throws(IdentityFault) {
        guard let code = credential.code else { return }
        guard let claim = claims["c_hash"], !claim.isNull else {
            if demandsHash { throw .code }
            return
        }
        guard isHash(claim, of: code) else { throw .code }
    }

    /// OpenID Connect Core 1.0, section 3.2.2.9.
    private func checkAccessToken() throws(IdentityFault) {
        guard let accessToken = credential.accessToken, let claim = claims["at_hash"], !claim.isNull else { return }
        guard isHash(claim, of: accessToken) else { throw .accessToken }
    }

    /// `c_hash` and `at_hash` are the left half of a hash. The token's algorithm determines which one. For EdDSA no
    /// specification does; providers take SHA-512, with which Ed25519 signs.
    private func isHash(_ claim: JSONValue, of text: String) -> Bool {
        let hash = token.key.algorithm == .EdDSA ? SHA512.hash(text) : SHA256.hash(text)
        let expected = Base64URL.encode(hash.span.extracting(first: hash.count / 2))
        return claim.string.map { isSame($0, expected) } ?? false
    }

    private func checkUser() throws(IdentityFault) {
        guard let user = credential.userIdentifier else { return }
        guard claims.has("sub", user) else { throw .user }
    }

    private func isSame(_ left: String, _ right: String) -> Bool {
        constantTimeEquals(left.utf8.span, right.utf8.span)
    }
}

import Gatehouse
import JOSE
import JSON
import OpenSSL

/// The claims that bind an identity token to the request that contained it: nonce, authorization code and user.
struct RequestBinding {
    let claims: JSONObjectReader
    let credential: IdentityCredential

    func check(
        rule: IdentityTokenPolicy.NonceRule, passed: IdentityTokenCheck.Observer
    ) throws(IdentityFault) {
        try checkNonce(rule: rule)
        passed(.nonce)
        try checkCode()
        passed(.code)
        try checkUser()
        passed(.user)
    }

    /// Apple copies into the token what the app passed: the nonce itself, or its SHA-256 in hexadecimal.
    private func checkNonce(rule: IdentityTokenPolicy.NonceRule) throws(IdentityFault) {
        switch (nonceClaim, credential.nonce) {
        case (nil, nil):
            guard rule == .optional else { throw .nonce(rule == .challenge ? .challengeRequired : .required) }
        case (nil, _?):
            // On a device that does not support nonces, Apple leaves the nonce out and says so in the token.
            guard claims["nonce_supported"]?.flag == false else { throw .nonce(.notInToken) }
            guard rule == .optional else { throw .nonce(.unsupportedByDevice) }
        case (_?, nil):
            throw .nonce(.notSent)
        case (let claim?, let sent?):
            guard let claim = claim.string else { throw .nonce(.different) }
            guard isNonce(claim, sent: sent) else { throw .nonce(difference(claim, sent: sent)) }
        }
    }

    /// The usual mistakes of an app, for the answer.
    private func difference(_ claim: String, sent: String) -> NonceFault {
        let hash = SHA256.hash(sent)
        if isSame(claim.lowercased(), hexadecimal(hash)) || Base64Text.decode(claim) == hash { return .hashInOtherForm }
        return isSame(sent, hexadecimal(SHA256.hash(claim))) ? .swapped : .different
    }

    /// A nonce of `null` counts as none. It is `.none` here, because `nil` would become `JSONValue.null`.
    private var nonceClaim: JSONValue? {
        guard let claim = claims["nonce"], !claim.isNull else { return .none }
        return claim
    }

    private func isNonce(_ claim: String, sent: String) -> Bool {
        isSame(claim, sent) || isSame(claim, hexadecimal(SHA256.hash(sent)))
    }

    /// OpenID Connect Core 1.0, section 3.3.2.11: `c_hash` is the left half of the code's hash.
    private func checkCode() throws(IdentityFault) {
        guard let code = credential.code, let claim = claims["c_hash"], !claim.isNull else { return }
        let expected = Base64URL.encode(SHA256.hash(code).span.extracting(first: 16))
        guard let hash = claim.string, isSame(hash, expected) else { throw .code }
    }

    private func checkUser() throws(IdentityFault) {
        guard let user = credential.userIdentifier else { return }
        guard claims.has("sub", user) else { throw .user }
    }

    private func isSame(_ left: String, _ right: String) -> Bool {
        constantTimeEquals(left.utf8.span, right.utf8.span)
    }

    private func hexadecimal(_ bytes: [UInt8]) -> String {
        let digits = Array("0123456789abcdef".utf8)
        return String(decoding: bytes.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }, as: UTF8.self)
    }
}

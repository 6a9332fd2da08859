import JOSE
import OpenSSL

/// A code of the page, with what belongs to it.
struct OpenIDCode {
    static let lifetime: Int64 = 600

    let request: OpenIDAuthorizationRequest
    /// The identity token that it is exchanged for.
    let order: IdentityOrder
    let issuedAt: Int64
    var isUsed = false
}

/// The codes that a provider has issued, with the rules for their validity.
struct OpenIDCodes {
    private var codes: [String: OpenIDCode] = [:]

    mutating func add(_ code: OpenIDCode) -> String {
        codes = codes.filter { code.issuedAt < $0.value.issuedAt + OpenIDCode.lifetime }
        let text = "4/0A" + RandomText.text(60)
        codes[text] = code
        return text
    }

    mutating func redeem(
        _ text: String, clientID: String, redirectURI: String?, verifier: String?, now: Int64
    ) throws(TokenEndpointError) -> OpenIDCode {
        guard let code = codes[text], code.request.clientID == clientID else { throw .unknownCode }
        guard !code.isUsed, now < code.issuedAt + OpenIDCode.lifetime else { throw .endedCode }
        guard code.request.redirectURI == redirectURI else { throw .otherRedirectURI }
        try Self.check(verifier, code.request.challenge)
        codes[text]?.isUsed = true
        return code
    }

    /// A verifier without a challenge is refused as well, so that a request from which an attacker has removed the challenge
    /// gets no tokens (RFC 9700, section 2.1.1).
    private static func check(_ verifier: String?, _ challenge: String?) throws(TokenEndpointError) {
        switch (verifier, challenge) {
        case (nil, nil): return
        case (nil, _?): throw .missingVerifier
        case (_?, nil): throw .needlessVerifier
        case (let verifier?, let challenge?):
            guard Base64URL.encode(Array(SHA256.hash(Array(verifier.utf8)))) == challenge else {
                throw .wrongVerifier
            }
        }
    }
}

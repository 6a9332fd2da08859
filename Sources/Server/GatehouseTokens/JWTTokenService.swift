package import Gatehouse
import JOSE
import JSON
import OpenSSL

/// Issues and verifies this server's tokens: access and refresh tokens as signed JWTs, and challenges for logins.
///
/// Each kind has a file of its own, which implements its part of `TokenService`.
package struct JWTTokenService: TokenService {
    let accessSigner: TokenSigner
    let accessVerifier: TokenVerifier
    let accessClaimParser: AccessClaimParser
    /// The signer with the current secret first.
    let refreshSigners: [TokenSigner]
    let refreshVerifier: TokenVerifier
    /// The current secret first.
    let challengeKeys: [SigningKey]
    /// The key of the current secret first.
    let codeKeys: [HMACSHA256Key]

    /// - Parameter refreshKeys: secrets (HS256), which also authenticate challenges. Key pairs are not accepted: a
    ///   refresh token whose answer was lost is issued again byte for byte, and an ECDSA signature differs each time.
    package init(issuer: String, audience: String, accessKeys: KeyRing, refreshKeys: KeyRing) {
        precondition(
            refreshKeys.all.allSatisfy { $0.algorithm == .HS256 }, "refresh tokens and challenges need HS256 secrets")
        accessSigner = TokenSigner(key: accessKeys.current, type: Self.accessTokenType)
        accessVerifier = TokenVerifier(keys: accessKeys.all, type: Self.accessTokenType)
        accessClaimParser = AccessClaimParser(issuer: issuer, audience: audience)
        refreshSigners = refreshKeys.all.map { TokenSigner(key: $0, type: Self.refreshTokenType) }
        refreshVerifier = TokenVerifier(keys: refreshKeys.all, type: Self.refreshTokenType)
        challengeKeys = refreshKeys.all
        codeKeys = refreshKeys.all.map(Self.codeKey)
    }

    package func hash(_ token: String) -> [UInt8] { Self.hash(token) }

    package static func hash(_ token: String) -> [UInt8] { SHA256.hash(token) }

    package func apparentKind(of token: String) -> TokenKind? {
        switch (try? CompactJWS(token))?.type {
        case Self.accessTokenType: .access
        case Self.refreshTokenType: .refresh
        default: nil
        }
    }
}

/// Reads the claims of one kind of token.
protocol ClaimParser {
    associatedtype Claims

    /// Reads every claim in the order in which it is written. Nil if a required claim is missing or has the wrong type.
    func parse(_ json: inout some JSONClaims) -> Claims?
}

extension TokenVerifier {
    /// The claims of a token with a valid signature and the right `typ`, so that a token of another kind is refused
    /// even if both kinds share a key. Nil for any other token; the reason is not reported.
    func claims<Parser: ClaimParser>(of token: Span<UInt8>, parsedBy parser: Parser) -> Parser.Claims? {
        guard let payload = payload(of: token) else { return nil }
        // Nearly always the claims are in the order in which this server writes them, which needs no lookup table.
        // Another program that signs with the same key may add claims or use another order.
        var sequence = JSONSequence(payload)
        if let claims = parser.parse(&sequence), sequence.isAtEnd { return claims }
        guard var members = try? JSONObjectReader(parsing: payload) else { return nil }
        return parser.parse(&members)
    }
}

import Gatehouse
import JOSE
import JSON
import OpenSSL

/// Refresh tokens: JWTs signed with a secret of their own, whose claims determine every byte of them.
package struct RefreshTokens: Sendable {
    private static let type = "rt+jwt"

    private let signers: [TokenSigner]
    private let reader: TokenReader

    /// - Parameter ring: of secrets alone. A token is written again to the byte where its answer was lost, and an ECDSA
    ///   signature comes out otherwise each time.
    package init(ring: KeyRing) {
        precondition(ring.all.allSatisfy { $0.algorithm == .HS256 }, "refresh tokens are signed with a secret")
        signers = ring.all.map { TokenSigner(key: $0, type: Self.type) }
        reader = TokenReader(type: Self.type, ring: ring)
    }

    func write(_ claims: RefreshClaims) -> String {
        signers[0].token(for: Self.payload(claims))
    }

    func write(_ claims: RefreshClaims, hashedAs hash: [UInt8]) -> String? {
        let payload = Self.payload(claims)
        return signers.lazy.map { $0.token(for: payload) }
            .first { constantTimeEquals(SHA256.hash($0), hash) }
    }

    func read(_ token: String, now: Timestamp) throws(Refusal) -> PresentedToken {
        guard let claims = reader.claims(of: token.utf8.span, by: self) else { throw .invalidRefreshToken }
        guard now < claims.expiresAt else { throw .refreshTokenExpired }
        return PresentedToken(
            sessionID: claims.sessionID, userID: claims.userID, generation: claims.generation,
            hash: SHA256.hash(token))
    }

    private static func payload(_ claims: RefreshClaims) -> [UInt8] {
        var json = JSONWriter(reserving: 256)
        json.object { json in
            json.member("sub", claims.userID.text)
            json.member("sid", claims.sessionID.text)
            json.member("gen", claims.generation)
            json.member("jti", Base64URL.encode(claims.random))
            json.member("iat", claims.issuedAt.seconds)
            json.member("exp", claims.expiresAt.seconds)
        }
        return json.bytes
    }
}

extension RefreshTokens: ClaimParser {
    /// What a token is asked for when it comes back.
    struct Claims {
        let userID: UserID
        let sessionID: SessionID
        let generation: Int64
        let expiresAt: Timestamp
    }

    func parse(_ json: inout some JSONClaims) -> Claims? {
        guard let user = json.string("sub"), let session = json.string("sid"), let generation = json.integer("gen")
        else { return nil }
        // Written, and of no use here.
        _ = (json.string("jti"), json.integer("iat"))
        guard let expires = json.integer("exp") else { return nil }
        return Claims(
            userID: UserID(user), sessionID: SessionID(session), generation: generation,
            expiresAt: Timestamp(seconds: expires))
    }
}

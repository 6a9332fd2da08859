package import Gatehouse
import JOSE
import JSON
import OpenSSL

/// Refresh tokens: JWTs signed with a secret. The same claims and secret always give the same bytes.
extension JWTTokenService {
    static let refreshTokenType = "rt+jwt"

    package func refreshToken(_ claims: RefreshClaims) -> String {
        refreshSigners[0].token(for: Self.payload(claims))
    }

    package func refreshToken(_ claims: RefreshClaims, hashedAs hash: [UInt8]) -> String? {
        let payload = Self.payload(claims)
        return refreshSigners.lazy.map { $0.token(for: payload) }
            .first { constantTimeEquals(SHA256.hash($0), hash) }
    }

    package func readRefreshToken(_ token: String) throws(Refusal) -> PresentedToken {
        guard let claims = refreshVerifier.claims(of: token.utf8.span, parsedBy: RefreshClaimParser()) else {
            throw .invalidRefreshToken
        }
        return PresentedToken(
            sessionID: claims.sessionID, userID: claims.userID, generation: claims.generation,
            random: claims.random, issuedAt: claims.issuedAt, expiresAt: claims.expiresAt, hash: SHA256.hash(token))
    }

    package func random(ofGeneration generation: Int64, seed: [UInt8]) -> [UInt8] {
        // The seed has a fixed length, so no two pairs of seed and generation have the same bytes.
        var bytes = seed
        for byte in 0..<8 { bytes.append(UInt8(truncatingIfNeeded: generation >> (56 - byte * 8))) }
        return Array(SHA256.hash(bytes).prefix(SessionToken.randomBytes))
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
        return json.finish()
    }
}

struct RefreshClaimParser: ClaimParser {
    struct Claims {
        let userID: UserID
        let sessionID: SessionID
        let generation: Int64
        let random: [UInt8]
        let issuedAt: Timestamp
        let expiresAt: Timestamp
    }

    func parse(_ json: inout some JSONClaims) -> Claims? {
        guard let user = json.string("sub"), let session = json.string("sid"), let generation = json.integer("gen")
        else { return nil }
        let random = json.string("jti").flatMap(Base64URL.decode) ?? []
        guard let issued = json.integer("iat"), let expires = json.integer("exp") else { return nil }
        return Claims(
            userID: UserID(user), sessionID: SessionID(session), generation: generation, random: random,
            issuedAt: Timestamp(seconds: issued), expiresAt: Timestamp(seconds: expires))
    }
}

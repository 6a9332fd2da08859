package import Gatehouse
import OpenSSL

/// Our own tokens as signed JWTs, and our nonces.
package struct JWTTokenService: TokenService {
    private let access: AccessTokens
    private let refresh: RefreshTokens
    private let challenges: Challenges

    package init(access: AccessTokens, refresh: RefreshTokens, challenges: Challenges) {
        self.access = access
        self.refresh = refresh
        self.challenges = challenges
    }

    package func accessToken(_ claims: AccessClaims) -> String { access.write(claims) }

    package func refreshToken(_ claims: RefreshClaims) -> String { refresh.write(claims) }

    package func refreshToken(_ claims: RefreshClaims, hashedAs hash: [UInt8]) -> String? {
        refresh.write(claims, hashedAs: hash)
    }

    package func readAccessToken(_ token: ArraySlice<UInt8>, now: Timestamp) throws(Refusal) -> Caller {
        try access.read(token, now: now)
    }

    package func readRefreshToken(_ token: String, now: Timestamp) throws(Refusal) -> PresentedToken {
        try refresh.read(token, now: now)
    }

    package func hash(_ token: String) -> [UInt8] { SHA256.hash(token) }

    package func challenge(expiresAt: Timestamp) -> Challenge { challenges.write(expiresAt: expiresAt) }

    package func readChallenge(_ nonce: String) -> Challenge? { challenges.read(nonce) }
}

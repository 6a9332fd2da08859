import Gatehouse
import GatehouseTokens
import IdentityProviders
import JOSE

extension Catalog {
    static let tokens = [
        Entry(name: "verify identity token (RS256)") { folder in
            let apple = try AppleFixture(folder: folder)
            let credential = IdentityCredential(identityToken: apple.identityToken)
            let request = Verification(now: Sample.now, requestID: nil, codes: NoCodes())
            return repeating { try apple.logIn.verify(credential, in: request) }
        },
        Entry(name: "verify access token (HS256)") { _ in try verifyingAccessToken(Sample.tokens()) },
        Entry(name: "verify access token (ES256)") { _ in
            try verifyingAccessToken(Sample.tokens(signedBy: SigningKey.generate(.ES256)))
        },
        Entry(name: "sign access token (HS256)") { _ in try signingAccessToken(Sample.tokens()) },
        Entry(name: "sign access token (ES256)") { _ in
            try signingAccessToken(Sample.tokens(signedBy: SigningKey.generate(.ES256)))
        },
        Entry(name: "verify refresh token") { _ in
            let service = try Sample.tokens()
            let token = service.refreshToken(Sample.refreshClaims)
            return repeating { try service.readRefreshToken(token) }
        },
        Entry(name: "sign refresh token") { _ in
            let (service, claims) = (try Sample.tokens(), Sample.refreshClaims)
            return repeating { service.refreshToken(claims) }
        },
    ]

    private static func verifyingAccessToken(_ service: JWTTokenService) -> Work {
        let (token, now) = (Array(service.accessToken(Sample.accessClaims).utf8)[...], Sample.now)
        return repeating { try service.readAccessToken(token, now: now) }
    }

    private static func signingAccessToken(_ service: JWTTokenService) -> Work {
        let claims = Sample.accessClaims
        return repeating { service.accessToken(claims) }
    }
}

/// For tokens: nothing is spent before it is verified.
private struct NoCodes: OneTimeCodes {
    func spend(_ code: String, of provider: Provider, now: Timestamp) throws(Refusal) {}
}

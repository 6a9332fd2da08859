import Gatehouse
import GatehouseTokens
import JOSE
import JSON
import StandIn
import Testing

@Suite("Tokens of one kind are refused as another kind")
struct SeparationTests {
    /// The second one uses the same secret for both kinds.
    private func services() throws -> [JWTTokenService] { [try Sample.service(), try Sample.serviceWithOneSecret()] }

    @Test("an access token is refused as a refresh token, and the other way round")
    func kinds() throws {
        for tokens in try services() {
            let (access, refresh) = (tokens.accessToken(Sample.access), tokens.refreshToken(Sample.refresh))
            #expect(throws: Refusal.invalidRefreshToken) { try tokens.readRefreshToken(access) }
            #expect(throws: Refusal.invalidAccessToken) { try tokens.readAccessToken(refresh, now: Sample.now) }
        }
    }

    @Test("an access token that also has the claims of a refresh token is refused as a refresh token")
    func claimsOfBoth() throws {
        let tokens = try Sample.serviceWithOneSecret()
        let key = try KeyRing(secret: Sample.accessSecret).current
        var claims = try CompactJWS(tokens.accessToken(Sample.access)).claims()
        claims["gen"] = 7
        let access = try Sample.signed(claims, type: "at+jwt", by: key)
        #expect(throws: Refusal.invalidRefreshToken) { try tokens.readRefreshToken(access) }
        let refresh = try Sample.signed(claims, type: "rt+jwt", by: key)
        #expect(throws: Never.self) { try tokens.readRefreshToken(refresh) }
        #expect(throws: Refusal.invalidAccessToken) { try tokens.readAccessToken(refresh, now: Sample.now) }
    }

    @Test("an identity token from Apple is refused, even if its key has the same kid")
    func fromApple() throws {
        let ours = try KeyRing(secret: Sample.accessSecret).current
        let apple = try SigningKey.generate(.RS256, keyID: ours.keyID)
        for order in [MintOrder(), MintOrder(audience: "api")] {
            for type in [nil, "at+jwt", "rt+jwt"] as [String?] {
                var order = order
                order.header["typ"] = type.map(JSONValue.string) ?? .null
                let login = Mint(key: apple).login(order, now: Sample.now.seconds)
                let token = try #require(login["identityToken"]?.string)
                for tokens in try services() {
                    #expect(throws: Refusal.invalidAccessToken) { try tokens.readAccessToken(token, now: Sample.now) }
                    #expect(throws: Refusal.invalidRefreshToken) {
                        try tokens.readRefreshToken(token)
                    }
                }
            }
        }
    }
}

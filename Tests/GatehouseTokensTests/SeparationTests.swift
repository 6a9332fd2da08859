import FakeApple
import Gatehouse
import GatehouseTokens
import JOSE
import JSON
import Testing

@Suite("Tokens of one kind are nothing to the readers of another")
struct SeparationTests {
    /// Also where both kinds share a secret.
    private func services() throws -> [JWTTokenService] { [try Sample.service(), try Sample.careless()] }

    @Test("an access token does not refresh, and a refresh token gives no access")
    func kinds() throws {
        for tokens in try services() {
            let (access, refresh) = (tokens.accessToken(Sample.access), tokens.refreshToken(Sample.refresh))
            #expect(throws: Refusal.invalidRefreshToken) { try tokens.readRefreshToken(access, now: Sample.now) }
            #expect(throws: Refusal.invalidAccessToken) { try tokens.readAccessToken(refresh, now: Sample.now) }
        }
    }

    @Test("an access token with the claims of a refresh token besides is still no refresh token")
    func claimsOfBoth() throws {
        let tokens = try Sample.careless()
        let key = try KeyRing(secret: Sample.accessSecret).current
        var claims = try CompactJWS(tokens.accessToken(Sample.access)).claims()
        claims["gen"] = 7
        let access = try Sample.signed(claims, type: "at+jwt", by: key)
        #expect(throws: Refusal.invalidRefreshToken) { try tokens.readRefreshToken(access, now: Sample.now) }
        let refresh = try Sample.signed(claims, type: "rt+jwt", by: key)
        #expect(throws: Never.self) { try tokens.readRefreshToken(refresh, now: Sample.now) }
        #expect(throws: Refusal.invalidAccessToken) { try tokens.readAccessToken(refresh, now: Sample.now) }
    }

    @Test("a token from Apple is neither of ours, also with a key of the same name")
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
                        try tokens.readRefreshToken(token, now: Sample.now)
                    }
                }
            }
        }
    }

    @Test("what is no token at all is refused", arguments: ["", ".", "..", "a.b.c", "Bearer x", "null", "🔑"])
    func noTokens(text: String) throws {
        let tokens = try Sample.service()
        #expect(throws: Refusal.invalidAccessToken) { try tokens.readAccessToken(text, now: Sample.now) }
        #expect(throws: Refusal.invalidRefreshToken) { try tokens.readRefreshToken(text, now: Sample.now) }
    }

    @Test("a token with any one character changed is refused")
    func everyCharacterCounts() throws {
        let tokens = try Sample.service()
        let token = Array(tokens.accessToken(Sample.access).utf8)
        for index in token.indices {
            var changed = token
            changed[index] = token[index] == UInt8(ascii: "A") ? UInt8(ascii: "B") : UInt8(ascii: "A")
            let text = String(decoding: changed, as: UTF8.self)
            #expect(throws: Refusal.invalidAccessToken, "character \(index)") {
                try tokens.readAccessToken(text, now: Sample.now)
            }
        }
    }
}

import Gatehouse
import IdentityProviders
import JOSE
import JSON
import Testing

@Suite("Signing in through a browser with Apple")
struct AppleWebSignInTests {
    private static let client = AppleWebClient(id: "com.example.web", callback: WebRequest.callback)
    private static let subject = ValidLogin.subject
    private static let valid: [(String, JSONValue?)] = [
        ("aud", "com.example.web"), ("nonce", .string(WebRequest.nonce)), ("c_hash", .string(WebRequest.codeHash)),
    ]

    private let script = ScriptedProvider([])

    private static func token(_ changes: [(String, JSONValue?)] = [], by key: SigningKey = ValidLogin.key) -> String {
        let claims = TestToken.changed(ValidLogin.claims, valid + changes)
        return TestToken.make(payload: claims.description, by: key)
    }

    private func verify(
        _ token: String?, code: String? = WebRequest.code, user: String? = nil,
        request: ProviderRequest = WebRequest.sent,
        source: @escaping KeySource = { ValidLogin.keySet }
    ) -> Result<ProvenIdentity, Refusal> {
        let keys = ProviderKeys(now: { ValidLogin.now }, source: source)
        let apple = AppleWebSignIn(Self.client, issuers: [TokenRules.appleIssuer], keys: keys)
        let answer = ProviderAnswer(code: code, identityToken: token, user: user)
        return script.signIn(by: apple, with: answer, to: request, now: ValidLogin.now)
    }

    @Test("the page is Apple's, which answers with a form that has the identity token and the code")
    func page() {
        let keys = ProviderKeys(now: { ValidLogin.now }, source: { ValidLogin.keySet })
        let apple = AppleWebSignIn(Self.client, issuers: [], keys: keys)
        #expect(
            apple.pageAddress(for: WebRequest.sent, requestID: nil)
                == "https://appleid.apple.com/auth/authorize?response_type=code%20id_token&response_mode=form_post"
                + "&client_id=com.example.web&redirect_uri=https%3A%2F%2Fapi.example.com%2Fapi%2Fauth%2Facme%2Fcallback"
                + "&scope=name%20email&state=the%20state&nonce=the-nonce")
    }

    @Test("a valid answer proves the user, and its code is left for an exchange after the login")
    func valid() throws {
        let result = try verify(Self.token()).get()
        #expect(result.subject == Self.subject && result.clientID == "com.example.web")
        #expect(result.tokenHash?.count == 32, "the token cannot sign in to an app as well")
        #expect(result.nickname == nil && result.laterCode == WebRequest.code)
        #expect(script.events.isEmpty, "nothing is spent here")
    }

    static let attacks: [(changes: [(String, JSONValue?)], fault: IdentityFault)] = [
        ([("aud", "com.example.app")], .audience(PlainName("com.example.app"))),
        ([("aud", ["com.example.web", "com.example.app"])], .audience(nil)), ([("aud", nil)], .audience(nil)),
        ([("iss", "https://appleid.apple.example")], .issuer), ([("iss", nil)], .issuer),
        ([("nonce", "another")], .nonce(.different)), ([("nonce", nil)], .nonce(.notInToken)),
        ([("nonce", nil), ("nonce_supported", false)], .nonce(.unsupportedByDevice)),
        ([("nonce", .some(.null)), ("nonce_supported", true)], .nonce(.notInToken)),
        ([("c_hash", nil)], .code), ([("c_hash", .some(.null))], .code), ([("c_hash", "")], .code),
        ([("c_hash", .string(WebRequest.accessTokenHash))], .code), ([("c_hash", 1)], .code),
        ([("exp", .integer(ValidLogin.seconds - 3600))], .expired),
        ([("iat", .integer(ValidLogin.seconds + 3600))], .notYetValid),
        ([("events", "{}")], .malformed(.isNotification)),
    ]

    @Test("a token for an app, another request, another code or another issuer is refused", arguments: attacks)
    func refused(changes: [(String, JSONValue?)], fault: IdentityFault) {
        #expect(verify(Self.token(changes)) == .failure(.identity(fault, by: .apple)))
    }

    @Test("a token that another key has signed is refused, also one with Apple's key id")
    func keys() throws {
        #expect(verify(Self.token(by: ValidLogin.attackersKey)) == .failure(.identity(.signature, by: .apple)))
        let header = TestToken.changed(ValidLogin.header, [("kid", "KEY0000009")])
        let claims = TestToken.changed(ValidLogin.claims, Self.valid)
        let token = TestToken.make(header: header.description, payload: claims.description)
        #expect(verify(token) == .failure(.identity(.unknownKey, by: .apple)))
        let none = TestToken.changed(ValidLogin.header, [("alg", "none")])
        let unsigned = TestToken.make(header: none.description, payload: claims.description)
        #expect(verify(unsigned) == .failure(.identity(.algorithm, by: .apple)))
    }

    @Test("the code of another answer is refused")
    func otherCode() {
        #expect(verify(Self.token(), code: WebRequest.accessToken) == .failure(.identity(.code, by: .apple)))
    }

    @Test("an answer lacks what it is without")
    func missing() {
        #expect(verify(Self.token(), code: nil) == .failure(.missing(.code)))
        #expect(verify(nil) == .failure(.missing(.identityToken)))
    }

    static let users: [(user: String?, nickname: String?)] = [
        (#"{"name":{"firstName":"Ann","lastName":"Example"},"email":"x@example.com"}"#, "Ann Example"),
        (#"{"name":{"firstName":"小明","lastName":"王"}}"#, "王小明"), (#"{"name":{"lastName":"Example"}}"#, "Example"),
        (#"{"name":{"firstName":" ","lastName":""}}"#, nil), (#"{"name":{"firstName":1,"lastName":["a"]}}"#, nil),
        (#"{"name":"Ann"}"#, nil), (#"{"email":"x@example.com"}"#, nil), ("{", nil), ("", nil), ("null", nil),
        (nil, nil),
        (#"{"name":{"firstName":"A","firstName":"B"}}"#, nil), (#"{"name":{"firstName":"A\u0000\u0007nn"}}"#, "Ann"),
        (#"{"name":{"firstName":"\#(String(repeating: "a", count: 100))"}}"#, String(repeating: "a", count: 64)),
        (#"{"name":{"firstName":"\#(String(repeating: "a", count: 5000))"}}"#, nil),
    ]

    @Test("of the user, the name alone is read, and what cannot be read is ignored", arguments: users)
    func user(user: String?, nickname: String?) throws {
        let assertion = try verify(Self.token([("email", nil)]), user: user).get()
        #expect(assertion.nickname == nickname && assertion.email == nil)
    }

    @Test("the address is that of the token")
    func email() throws {
        let token = Self.token([("email", "ann@example.com"), ("email_verified", "true")])
        let assertion = try verify(token, user: #"{"email":"x@example.com"}"#).get()
        #expect(assertion.email == "ann@example.com" && assertion.emailVerified == true)
    }
}

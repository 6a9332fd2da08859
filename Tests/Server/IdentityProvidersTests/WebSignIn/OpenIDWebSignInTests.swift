import Gatehouse
import IdentityProviders
import JOSE
import JSON
import POSIX
import Testing

@Suite("Signing in through a browser with an OpenID provider")
struct OpenIDWebSignInTests {
    private static let name = OpenIDFixture.name
    private static let unavailable = Refusal.providerUnavailable(name)
    private static let fixed = WebClient(
        id: OpenIDWebFixture.clientID, secret: OpenIDWebFixture.secret, pageURL: "https://x.example/page?lang=en",
        tokenURL: ScriptedProvider.apiURL + OpenIDWebFixture.tokenPath, scopes: "openid")

    @Test("the page is that of the metadata, with the challenge of RFC 7636, appendix B")
    func page() throws {
        let fixture = OpenIDWebFixture()
        #expect(
            try fixture.page().get()
                == "https://op.example/authorize?response_type=code&client_id=client-web"
                + "&redirect_uri=https%3A%2F%2Fapi.example.com%2Fapi%2Fauth%2Facme%2Fcallback"
                + "&scope=openid%20email%20profile&state=the%20state&nonce=the-nonce"
                + "&code_challenge=\(WebRequest.challenge)&code_challenge_method=S256")
    }

    @Test("configured addresses and scopes are used without a look at the metadata")
    func configured() throws {
        let fixture = OpenIDWebFixture([OpenIDWebFixture.grant()], client: Self.fixed, metadata: nil)
        let page = try fixture.page().get()
        #expect(page.hasPrefix("https://x.example/page?lang=en&response_type=code&"))
        #expect(page.contains("&scope=openid&"))
        #expect(try fixture.verify().get().clientID == OpenIDWebFixture.clientID)
        #expect(fixture.fetches == 0)
    }

    @Test("a code is spent inside the gate and exchanged once, with the verifier, the callback and the secret")
    func exchange() throws {
        let fixture = OpenIDWebFixture([OpenIDWebFixture.grant()])
        let result = try fixture.verify().get()
        #expect(result.subject == "248289761001" && result.clientID == "client-web")
        #expect(result.tokenHash?.count == 32 && result.laterCode == nil)
        #expect(result.unsentNonce == nil, "no challenge of an app")
        #expect(fixture.script.events == ["spend \(WebRequest.code) (1 inside)", "/token (1 inside)"])
        let request = try #require(fixture.script.requests.first)
        #expect(
            request.query == [
                "grant_type": "authorization_code", "code": WebRequest.code, "redirect_uri": WebRequest.callback,
                "code_verifier": WebRequest.verifier,
            ])
        #expect(
            request.headers == [
                "Accept": "application/json", "Authorization": "Basic Y2xpZW50LXdlYjp0aGUtY2xpZW50LXNlY3JldA==",
            ])
        #expect(fixture.script.reports == [.answered])
    }

    @Test(
        "the secret is in the header unless the metadata leave that out",
        arguments: [
            (nil, true), ([], false), (["client_secret_basic"], true),
            (["client_secret_post", "client_secret_basic"], true), (["client_secret_post"], false),
            (["private_key_jwt"], false),
        ] as [([String]?, Bool)])
    func authentication(methods: [String]?, isBasic: Bool) throws {
        var metadata = OpenIDWebFixture.metadata
        metadata["token_endpoint_auth_methods_supported"] = methods.map { .array($0.map(JSONValue.string)) }
        let fixture = OpenIDWebFixture([OpenIDWebFixture.grant()], metadata: metadata)
        _ = try fixture.verify().get()
        let request = try #require(fixture.script.requests.first)
        #expect((request.headers["Authorization"] != nil) == isBasic)
        #expect(request.query["client_secret"] == (isBasic ? nil : OpenIDWebFixture.secret))
        #expect(request.query["client_id"] == (isBasic ? nil : OpenIDWebFixture.clientID))
    }

    static let attacks: [(changes: [(String, JSONValue?)], fault: IdentityFault)] = [
        ([("aud", .string(OpenIDLogin.audience))], .audience(PlainName(OpenIDLogin.audience))),
        ([("aud", "app-web")], .audience(PlainName("app-web"))),
        ([("aud", ["client-web", "app-ios"])], .audience(nil)), ([("aud", nil)], .audience(nil)),
        ([("azp", .string(OpenIDLogin.audience))], .client(PlainName(OpenIDLogin.audience))),
        ([("iss", "https://forger.example")], .issuer), ([("nonce", "another")], .nonce(.different)),
        ([("nonce", nil)], .nonce(.notInToken)), ([("nonce", .string(OpenIDLogin.nonce))], .nonce(.different)),
        ([("iat", .integer(OpenIDLogin.seconds - 4000))], .expired),
        ([("exp", .integer(OpenIDLogin.seconds - 61))], .expired),
        ([("sub", nil)], .malformed(.unusable(.claims, member: "sub"))),
    ]

    @Test("the identity token is for this client and this request, and as recent as one of an app", arguments: attacks)
    func refused(changes: [(String, JSONValue?)], fault: IdentityFault) {
        #expect(OpenIDWebFixture.fault(ofGrant: OpenIDWebFixture.grant(changes)) == fault)
    }

    @Test("another audience is accepted beside the client's, where the token says that it was issued to the client")
    func audiences() throws {
        let grant = OpenIDWebFixture.grant([("aud", ["client-web", "api"]), ("azp", "client-web")])
        #expect(try OpenIDWebFixture([grant]).verify().get().clientID == "client-web")
    }

    @Test("a token that another key has signed is refused, although it comes from the token endpoint")
    func key() {
        let grant = OpenIDWebFixture.grant(by: ValidLogin.attackersKey)
        #expect(OpenIDWebFixture.fault(ofGrant: grant) == .signature)
    }

    @Test("the access token of the answer has to be the identity token's")
    func accessToken() throws {
        let hash: [(String, JSONValue?)] = [("at_hash", .string(WebRequest.accessTokenHash))]
        let right = OpenIDWebFixture.grant(hash, accessToken: WebRequest.accessToken)
        #expect(try OpenIDWebFixture([right]).verify().get().subject == "248289761001")
        let wrong = OpenIDWebFixture.grant(hash, accessToken: WebRequest.code)
        #expect(OpenIDWebFixture.fault(ofGrant: wrong) == .accessToken)
    }

    @Test("required claims, and the rule for addresses, are those of the app's logins")
    func policy() throws {
        let policy = TokenRules.of(required: [RequiredClaim(name: "hd", value: "example.com")], emailRule: .google)
        #expect(OpenIDWebFixture.fault(ofGrant: OpenIDWebFixture.grant(), policy: policy) == .claim("hd"))
        let grant = OpenIDWebFixture.grant([
            ("hd", "example.com"), ("email", "a@example.com"), ("email_verified", true), ("name", "Ann"),
        ])
        let assertion = try OpenIDWebFixture([grant], policy: policy).verify().get()
        #expect(assertion.emailVerified == true && assertion.nickname == "Ann")
    }

    @Test(
        "an answer of another issuer is refused before its code is spent",
        arguments: [
            (nil, false, true), (nil, true, false), (OpenIDLogin.issuer, true, true), (OpenIDLogin.issuer, false, true),
            ("op.example", true, true), ("https://forger.example", false, false), ("https://op.example", true, false),
            (OpenIDLogin.issuer + "/", false, false), ("", false, false), ("", true, false),
        ] as [(String?, Bool, Bool)])
    func issuer(issuer: String?, isSupported: Bool, isAccepted: Bool) {
        var metadata = OpenIDWebFixture.metadata
        if isSupported { metadata["authorization_response_iss_parameter_supported"] = true }
        let fixture = OpenIDWebFixture([OpenIDWebFixture.grant()], metadata: metadata)
        let result = fixture.verify(ProviderAnswer(code: WebRequest.code, issuer: issuer))
        if isAccepted {
            #expect((try? result.get()) != nil)
        } else {
            #expect(result == .failure(.identity(.issuer, by: Self.name)) && fixture.script.events.isEmpty)
        }
    }

    @Test("without a code, or with one that is spent, the provider is not asked")
    func code() {
        let fixture = OpenIDWebFixture([OpenIDWebFixture.grant()])
        #expect(fixture.verify(ProviderAnswer()) == .failure(.missing(.code)))
        let spent = Refusal.identity(.replayed, by: Self.name)
        #expect(fixture.verify(spendRefuses: spent) == .failure(spent))
        #expect(fixture.script.requests.isEmpty && fixture.script.reports.isEmpty)
    }

    @Test("beyond the limit of waiting logins, and without metadata, no code is spent")
    func limits() {
        let crowded = OpenIDWebFixture(
            [OpenIDWebFixture.grant()], client: Self.fixed, gate: CallGate(limit: 0))
        #expect(crowded.verify() == .failure(Self.unavailable))
        #expect(crowded.script.events.isEmpty && crowded.script.reports == [.crowded])
        let unknown = OpenIDWebFixture([OpenIDWebFixture.grant()], metadata: nil)
        #expect(unknown.page() == .failure(Self.unavailable))
        #expect(unknown.verify() == .failure(Self.unavailable))
        #expect(unknown.script.events.isEmpty)
    }
}

import Gatehouse
import IdentityProviders
import JOSE
import JSON
import POSIX
import Testing

@Suite("Google's security events")
struct GoogleEventTests {
    private static let schema = "https://schemas.openid.net/secevent/"
    private static let legacy = "https://accounts.google.com/risc/event/"
    private static let revoked = schema + "risc/event-type/sessions-revoked"

    private static let subject: JSONObject = [
        "subject_type": "iss-sub", "iss": "https://accounts.google.com/", "sub": "7375626A656374",
    ]

    private static let claims: JSONObject = [
        "iss": "https://accounts.google.com/", "aud": "app-ios", "iat": .integer(OpenIDLogin.seconds),
        "jti": "756E69717565206964656E746966696572",
        "events": [revoked: ["subject": .object(subject), "reason": "hijacking"]],
    ]

    private static let policy = TokenRules.openID(
        issuers: ["https://accounts.google.com", "accounts.google.com"], audiences: ["app-ios", "app-web"],
        algorithms: [.RS256])

    private static func token(
        _ changes: [(String, JSONValue?)] = [], header: [(String, JSONValue?)] = [],
        by key: SigningKey = OpenIDLogin.rsa
    ) -> String {
        let head: JSONObject = [
            "alg": .string(key.algorithm.rawValue), "kid": .string(key.keyID ?? ""), "typ": "secevent+jwt",
        ]
        return TestToken.make(
            header: TestToken.changed(head, header).description,
            payload: TestToken.changed(claims, changes).description, by: key)
    }

    private static let google = OpenIDFixture.provider("GOOGLE")

    private func verify(_ token: String, fetches: Counter = Counter()) -> Result<GoogleEvent, Refusal> {
        let source: KeySource = {
            fetches.increment()
            return ValidLogin.bytes(ofSetWith: OpenIDLogin.keys)
        }
        let keys = ProviderKeys(policy: KeySetPolicy(for: Self.policy), now: { OpenIDLogin.now }, source: source)
        let verifier = GoogleProvider(name: Self.google, rules: Self.policy, keys: keys, replayGrace: .zero)
        return Result { () throws(Refusal) in
            try verifier.verify(event: token, now: OpenIDLogin.now, requestID: nil)
        }
    }

    private func expectEarlyRefusal(
        _ token: String, _ fault: IdentityFault, sourceLocation: SourceLocation = #_sourceLocation
    ) {
        let fetches = Counter()
        let refusal = Refusal.identity(fault, by: Self.google)
        #expect(verify(token, fetches: fetches) == .failure(refusal), sourceLocation: sourceLocation)
        #expect(fetches.count == 0, sourceLocation: sourceLocation)
    }

    @Test("an event has its id, audience, subject and reason")
    func event() throws {
        let event = try verify(Self.token()).get()
        #expect(event.id == "756E69717565206964656E746966696572")
        #expect(event.audience == "app-ios")
        #expect(event.issuedAt == OpenIDLogin.now)
        #expect(event.entries.map(\.kind) == [.sessionsRevoked])
        #expect(event.entries.map(\.subject) == [.user("7375626A656374")])
        #expect(event.entries.map(\.reason) == [.hijacking])
    }

    @Test(
        "each type that Google documents is known, under its old name, too",
        arguments: [
            (revoked, .sessionsRevoked), (schema + "oauth/event-type/tokens-revoked", .tokensRevoked),
            (schema + "oauth/event-type/token-revoked", .tokenRevoked),
            (schema + "risc/event-type/account-disabled", .accountDisabled),
            (schema + "risc/event-type/account-enabled", .accountEnabled),
            (schema + "risc/event-type/account-credential-change-required", .credentialChangeRequired),
            (schema + "risc/event-type/verification", .verification),
            (legacy + "one-token-revoked", .tokenRevoked), (legacy + "all-token-revoked", .tokensRevoked),
            (legacy + "account-disabled", .accountDisabled), (legacy + "sessions-revoked", .sessionsRevoked),
            (legacy + "account-credential-change-required", .credentialChangeRequired),
            (schema + "risc/event-type/account-purged", .other), ("sessions-revoked", .other), ("", .other),
        ] as [(String, GoogleEvent.Kind)])
    func kinds(type: String, kind: GoogleEvent.Kind) throws {
        let events = JSONObject([(type, .object(["subject": .object(Self.subject)]))])
        #expect(try verify(Self.token([("events", .object(events))])).get().entries.map(\.kind) == [kind])
    }

    @Test("a token can have several events")
    func several() throws {
        let events: JSONValue = [
            Self.revoked: [:], Self.schema + "risc/event-type/account-disabled": ["reason": "new"],
        ]
        let entries = try verify(Self.token([("events", events)])).get().entries
        #expect(entries.map(\.kind) == [.sessionsRevoked, .accountDisabled])
        #expect(entries.map(\.reason) == [nil, .other])
        #expect(entries.map(\.subject) == [nil, nil])
    }

    @Test(
        "a subject is a user of Google, or a refresh token",
        arguments: [
            ([], .user("7375626A656374")),
            ([("subject_type", "id_token_claims"), ("email", "a@gmail.com")], .user("7375626A656374")),
            ([("iss", "https://accounts.google.com")], .user("7375626A656374")),
            ([("iss", "https://forger.example")], nil), ([("iss", nil)], nil), ([("sub", nil)], nil),
            ([("sub", 7)], nil),
            ([("subject_type", "phone")], nil), ([("subject_type", nil)], nil),
            (token("prefix"), .refreshToken(.prefix("1//0abcdefghijkl"))),
            (token("hash_base64_sha512_sha512"), .refreshToken(.hash("1//0abcdefghijkl"))), (token("md5"), nil),
            (token("prefix") + [("token_type", "access_token")], nil), (token("prefix") + [("token", nil)], nil),
        ] as [([(String, JSONValue?)], GoogleEvent.Subject?)])
    func subjects(changes: [(String, JSONValue?)], subject: GoogleEvent.Subject?) throws {
        let members = TestToken.changed(Self.subject, changes)
        let events = JSONObject([(Self.revoked, .object(["subject": .object(members)]))])
        #expect(try verify(Self.token([("events", .object(events))])).get().entries.map(\.subject) == [subject])
    }

    private static func token(_ algorithm: String) -> [(String, JSONValue?)] {
        [
            ("subject_type", "oauth_token"), ("token_type", "refresh_token"), ("token", "1//0abcdefghijkl"),
            ("token_identifier_alg", .string(algorithm)),
        ]
    }

    @Test(
        "exp is not checked, and the audience may be one of a list",
        arguments: [
            [("exp", 1)], [("iat", 1_500_000_000)], [("aud", ["other", "app-web"])],
            [("iss", "https://accounts.google.com")],
            [("iat", .integer(OpenIDLogin.seconds + 60))],
        ] as [[(String, JSONValue?)]])
    func accepted(changes: [(String, JSONValue?)]) throws {
        #expect(try verify(Self.token(changes)).get().entries.count == 1)
    }

    @Test("typ is that of an event, a JWT's, or absent", arguments: [nil, "JWT", "secevent+jwt"])
    func type(name: String?) throws {
        #expect(try verify(Self.token(header: [("typ", name.map(JSONValue.string))])).get().entries.count == 1)
    }

    @Test(
        "what is not an event for one of the apps is refused without a fetch",
        arguments: [
            ("events", nil, .malformed(.isNoNotification)),
            ("events", [:], .malformed(.unusable(.claims, member: "events"))),
            ("events", "{}", .malformed(.unusable(.claims, member: "events"))),
            ("jti", nil, .malformed(.unusable(.claims, member: "jti"))),
            ("iat", nil, .malformed(.unusable(.claims, member: "iat"))),
            ("iat", .integer(OpenIDLogin.seconds + 61), .notYetValid), ("iss", "accounts.google.com", .issuer),
            ("iss", "https://accounts.google.com//", .issuer), ("iss", nil, .issuer),
            ("aud", "other", .audience(PlainName("other"))),
            ("aud", ["other", "another"], .audience(nil)), ("aud", nil, .audience(nil)),
        ] as [(String, JSONValue?, IdentityFault)])
    func refused(name: String, value: JSONValue?, fault: IdentityFault) {
        expectEarlyRefusal(Self.token([(name, value)]), fault)
    }

    @Test("the header names RS256, a key and no other kind of token")
    func header() {
        expectEarlyRefusal(Self.token(header: [("kid", nil)]), .malformed(.unusable(.header, member: "kid")))
        expectEarlyRefusal(Self.token(header: [("typ", "at+jwt")]), .malformed(.otherType))
        expectEarlyRefusal(Self.token(header: [("alg", "none")]), .algorithm)
        expectEarlyRefusal(Self.token(by: OpenIDLogin.p256), .algorithm)
    }

    @Test("an event signed by another key is refused")
    func signature() {
        let forged = Self.token(by: OpenIDLogin.key(.RS256, "KEY0000001"))
        #expect(verify(forged) == .failure(.identity(.signature, by: Self.google)))
        let unknown = Self.token(by: OpenIDLogin.key(.RS256, "unknown"))
        #expect(verify(unknown) == .failure(.identity(.unknownKey, by: Self.google)))
    }

    @Test("an identity token is no event, and an event no identity token")
    func otherTokens() {
        let login = OpenIDLogin.token([("iss", "https://accounts.google.com")])
        expectEarlyRefusal(login, .malformed(.isNoNotification))
        let event = Self.token([("sub", "7375626A656374"), ("exp", .integer(OpenIDLogin.seconds + 60))])
        #expect(OpenIDFixture(policy: Self.policy).fault(event) == .malformed(.otherType))
        let typeless = Self.token(header: [("typ", nil)])
        #expect(OpenIDFixture(policy: Self.policy).fault(typeless) == .malformed(.isNotification))
    }

    @Test(
        "the domain gets what ends sessions, and the user whom it is about",
        arguments: [
            ("risc/event-type/sessions-revoked", nil, .sessionsRevoked),
            ("risc/event-type/account-disabled", "hijacking", .accountHijacked),
            ("risc/event-type/account-disabled", "bulk-account", .accountDisabled),
            ("risc/event-type/account-disabled", nil, .accountDisabled),
            ("risc/event-type/account-enabled", nil, .accountEnabled),
            ("risc/event-type/account-credential-change-required", nil, .credentialChangeRequired),
            ("oauth/event-type/tokens-revoked", nil, .tokensRevoked), ("oauth/event-type/token-revoked", nil, .other),
            ("risc/event-type/unknown", "hijacking", .other),
        ] as [(String, JSONValue?, SecurityEvents.Kind)])
    func securityEvents(type: String, reason: JSONValue?, kind: SecurityEvents.Kind) throws {
        let members = TestToken.changed(["subject": .object(Self.subject)], [("reason", reason)])
        let events = JSONObject([(Self.schema + type, .object(members))])
        let provider = GoogleProvider(
            name: Self.google, rules: Self.policy,
            keys: ProviderKeys(now: { OpenIDLogin.now }, source: { ValidLogin.keySet }), replayGrace: .seconds(60))
        let token = Self.token([("events", .object(events))])
        let result = try provider.verify(securityEvents: token, now: OpenIDLogin.now, requestID: nil)
        #expect(
            result
                == SecurityEvents(
                    provider: Self.google, id: "756E69717565206964656E746966696572", issuedAt: OpenIDLogin.now,
                    entries: [SecurityEvents.Entry(kind, subject: "7375626A656374")]))
    }

    @Test("the same provider verifies logins")
    func logins() throws {
        let provider = GoogleProvider(
            name: Self.google, rules: Self.policy,
            keys: ProviderKeys(now: { OpenIDLogin.now }, source: { ValidLogin.keySet }), replayGrace: .seconds(60))
        #expect(!provider.requiresChallenge)
        let token = OpenIDLogin.token([("iss", "accounts.google.com")])
        let credential = IdentityCredential(identityToken: token, nonce: OpenIDLogin.nonce)
        let assertion = try provider.verify(credential, now: OpenIDLogin.now, requestID: nil)
        #expect(assertion.subject == "248289761001" && assertion.redemption?.grace == .seconds(60))
    }
}

import StoreSupport
import Testing

@testable import Gatehouse

@Suite("Rules of joins")
struct JoinTests {
    private static let noon = Timestamp(seconds: 1_800_000_000)
    private static let session = SessionID("sess_1")
    private static let belongsToOther = "taken(Gatehouse.LinkConflict.identity)"
    private static let sameProvider = "taken(Gatehouse.LinkConflict.provider)"
    private static let number = Identity(provider: .phone, subject: "+8613800138000", email: nil)

    private static func party(
        _ name: String, by providers: [Provider], role: Role = .user, status: UserStatus = .active,
        age: Duration = .zero, guestKey: String? = nil
    ) -> JoinFacts.Party {
        JoinFacts.Party(
            user: User(
                id: UserID(name), email: nil, nickname: nil, role: role, status: status, createdAt: noon - age,
                guestKey: guestKey),
            accounts: providers.map {
                LinkedAccount(Identity(provider: $0, subject: name, email: nil), linkedAt: noon)
            })
    }

    private static func sessions(_ ids: [String]) -> [Session] {
        let token = SessionToken(
            generation: 1, random: [], issuedAt: noon, expiresAt: noon + .seconds(60), hash: [1])
        return ids.map {
            Session(
                id: SessionID($0), userID: UserID("new"), provider: .apple, clientID: "app", device: .unknown,
                createdAt: noon, token: token)
        }
    }

    private func refusal(
        of caller: JoinFacts.Party? = party("new", by: [.apple]), in sessions: [String] = ["sess_1"],
        joining owner: JoinFacts.Party? = party("old", by: [.phone]), lastUse: Timestamp? = nil,
        otherUser: UserID? = nil, use: Redemption.Use = .first, holding refreshToken: [UInt8]? = [1],
        provenBy identity: Identity = number, isOfGuest: Bool = false, demands strength: LoginStrength = .single
    ) -> String? {
        let redemption = Redemption(
            tokenHash: [1], nonceHash: nil, moment: Self.noon, grace: .zero, expiresAt: Self.noon + .seconds(600))
        let join = Join(
            identity: identity, redemption: redemption, caller: UserID("new"), session: Self.session,
            refreshTokenHash: refreshToken,
            moment: Self.noon, device: .unknown, staleAfter: .seconds(90 * 86_400),
            demandedStrength: strength, isOfGuest: isOfGuest)
        let facts = JoinFacts(
            caller: caller, callersSessions: Self.sessions(sessions), owner: owner, otherUser: otherUser,
            ownersLastUse: lastUse, use: use)
        return join.refusal(on: facts, equal: ==).map { "\($0)" }
    }

    @Test("A new user with one session joins the owner of the number")
    func accepted() { #expect(refusal() == nil) }

    @Test("A user with a longer life or a role, and one with another session, would lose what is theirs")
    func notNew() {
        for age in [86_399, 86_400] as [Int64] {
            #expect(refusal(of: Self.party("new", by: [.apple], age: .seconds(age))) == nil)
        }
        #expect(
            refusal(of: Self.party("new", by: [.apple], age: .seconds(86_401)))
                == Self.belongsToOther)
        #expect(refusal(of: Self.party("new", by: [.apple], role: .admin)) == Self.belongsToOther)
        #expect(refusal(in: ["sess_1", "sess_2"]) == Self.belongsToOther)
    }

    private static let guest = party("new", by: [], age: .seconds(30 * 86_400), guestKey: "key")
    private static let apple = Identity(provider: .apple, subject: "old", email: nil)

    @Test("A guest joins the owner of any identity, at any age and with other sessions of the device")
    func guest() {
        let owner = Self.party("old", by: [.apple])
        for sessions in [["sess_1"], ["sess_2", "sess_1"]] {
            #expect(
                refusal(of: Self.guest, in: sessions, joining: owner, provenBy: Self.apple, isOfGuest: true) == nil)
        }
        #expect(refusal(of: Self.guest, joining: owner, holding: nil, provenBy: Self.apple) == Self.belongsToOther)
        #expect(
            refusal(joining: owner, provenBy: Self.apple) == Self.belongsToOther, "a new user joins by a code alone")
    }

    @Test("A guest joins no administrator, no owner of a passkey where that counts, and no second user")
    func guardedOwners() {
        func refusal(_ owner: JoinFacts.Party, otherUser: UserID? = nil) -> String? {
            self.refusal(
                of: Self.guest, joining: owner, otherUser: otherUser, provenBy: Self.apple, isOfGuest: true,
                demands: .twoFactors)
        }
        #expect(refusal(Self.party("old", by: [.apple])) == nil)
        #expect(refusal(Self.party("old", by: [.apple], role: .admin)) == Self.belongsToOther)
        #expect(refusal(Self.party("old", by: [.apple, .passkey])) == Self.belongsToOther)
        #expect(refusal(Self.party("old", by: [.apple]), otherUser: UserID("third")) == Self.belongsToOther)
    }

    @Test("Who has become a user since the request was admitted as a guest's does not join as a guest")
    func noGuest() {
        #expect(refusal(of: Self.party("new", by: [.email]), isOfGuest: true) == "noGuest")
    }

    @Test("Without the current refresh token of the session there is no join: an access token may be stolen")
    func refreshToken() {
        #expect(refusal(holding: nil) == Self.belongsToOther)
        #expect(refusal(holding: [2]) == "supersededToken")
    }

    @Test("A join from a revoked or expired session is refused", arguments: [[], ["sess_2"]])
    func endedSession(sessions: [String]) {
        #expect(refusal(in: sessions) == "callerEnded")
        #expect(refusal(in: sessions, joining: nil) == "callerEnded", "the identity is not linked either")
        #expect(refusal(of: Self.guest, in: sessions, provenBy: Self.apple, isOfGuest: true) == "callerEnded")
    }

    @Test("Neither party may be disabled, and the two may have no provider in common")
    func parties() {
        #expect(refusal(of: Self.party("new", by: [.apple], status: .disabled)) == "callerEnded")
        #expect(refusal(of: nil) == "callerEnded")
        #expect(
            refusal(joining: Self.party("old", by: [.phone], status: .disabled))
                == Self.belongsToOther)
        #expect(refusal(joining: Self.party("old", by: [.phone, .apple])) == Self.sameProvider)
    }

    @Test("A number of nobody or of the caller is linked as any other one, and a code joins once")
    func others() {
        #expect(refusal(joining: nil) == "nothingToJoin")
        #expect(refusal(joining: Self.party("new", by: [.phone])) == "nothingToJoin")
        for use in [Redemption.Use.repeated, .replayed, .usedNonce] { #expect(refusal(use: use) == "used") }
    }

    @Test("A number that was away for too long joins nobody who has another way to sign in")
    func staleNumber() {
        let several = Self.party("old", by: [.phone, .email])
        let (fresh, stale) = (Self.noon - .seconds(90 * 86_400), Self.noon - .seconds(90 * 86_400 + 1))
        #expect(refusal(joining: several, lastUse: fresh) == nil)
        #expect(refusal(joining: several, lastUse: stale)?.hasPrefix("staleNumber") == true)
        #expect(refusal(lastUse: stale) == nil, "it is their only way")
    }
}

@Suite("Introspection")
struct IntrospectionRuleTests {
    @Test("A token without a phone number is not active where the settings require one", arguments: [true, false])
    func phone(isRequired: Bool) throws {
        var policy = Policy.ofTests()
        policy.phone = PhonePolicy(binding: isRequired ? .required : .off)
        let auth = try AuthService.ofTests(EmptyLogStore(), tokens: PlainTokens(needsPhone: true), policy: policy)
        var context = RequestContext(id: "test")
        #expect(try (auth.introspect("user_1 sess_1 1 60", in: &context) == nil) == isRequired)
    }
}

private struct EmptyLogStore: PartialStore {
    func revocations(after place: Int64) throws(Refusal) -> [Revocation] { [] }
}

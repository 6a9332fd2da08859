import Testing

@testable import Gatehouse

@Suite("The rules of support")
struct SupportRuleTests {
    private static func user(_ id: String, _ role: Role, _ status: UserStatus = .active) -> User {
        User(id: UserID(id), email: nil, nickname: nil, role: role, status: status, createdAt: Timestamp(seconds: 0))
    }

    @Test("who may do what to whom", arguments: SupportActKind.allCases)
    func acts(_ act: SupportActKind) {
        let roles: [Role] = [.user, .admin, .superAdmin]
        for (actor, target) in [Role.admin, .superAdmin].flatMap({ actor in roles.map { (actor, $0) } }) {
            let refusal = act.refusal(to: Self.user("a", actor), on: Self.user("t", target))
            let needsMore = act == .role || target != .user
            #expect((refusal == .insufficientRole) == (needsMore && actor == .admin), "\(actor) on \(target)")
            #expect(refusal == nil || refusal == .insufficientRole)
        }
        for role in [Role.admin, .superAdmin] {
            let own = act.refusal(to: Self.user("a", role), on: Self.user("a", role))
            #expect(own == (act == .signOut ? nil : .ownAccount))
        }
    }

    @Test("of any acts of two administrators on each other, a SUPER_ADMIN is left: the one who acts")
    func lastOne() {
        // Whoever acts on a SUPER_ADMIN is another SUPER_ADMIN, and is not changed by the act.
        for act in SupportActKind.allCases {
            let (one, other) = (Self.user("a", .superAdmin), Self.user("b", .superAdmin))
            #expect(act.refusal(to: one, on: other) == nil)
            #expect(act.refusal(to: Self.user("c", .admin), on: other) == .insufficientRole)
        }
    }

    private static func party(
        _ id: String, _ providers: [Provider], _ change: (inout User) -> Void = { _ in }
    ) -> JoinFacts.Party {
        var user = user(id, .user)
        change(&user)
        return JoinFacts.Party(
            user: user,
            accounts: providers.map {
                LinkedAccount(Identity(provider: $0, subject: id, email: nil), linkedAt: Timestamp(seconds: 0))
            })
    }

    @Test("conflicts of a merge")
    func conflicts() {
        func conflicts(_ user: JoinFacts.Party, _ other: JoinFacts.Party) -> [MergeConflict] {
            MergePlan(of: user, into: other, sessions: 0).conflicts
        }
        let (apple, phone) = (Self.party("a", [.apple]), Self.party("b", [.phone]))
        #expect(conflicts(apple, phone) == [])
        #expect(conflicts(apple, Self.party("b", [.phone, .apple])) == [.account(.apple)])
        #expect(conflicts(Self.party("a", []), phone) == [.status], "nothing would move, or be announced when undone")
        for status in [UserStatus.disabled, .deleted] {
            #expect(conflicts(Self.party("a", [.apple]) { $0.status = status }, phone) == [.status])
            #expect(conflicts(apple, Self.party("b", [.phone]) { $0.status = status }) == [.status])
        }
        for role in [Role.admin, .superAdmin] {
            #expect(conflicts(Self.party("a", [.apple]) { $0.role = role }, phone) == [.role])
            #expect(conflicts(apple, Self.party("b", [.phone]) { $0.role = role }) == [.role])
        }
    }

    @Test("a merge fills what is missing, and undoing it takes back what has not changed since")
    func profile() {
        var (one, other) = (Self.user("a", .user), Self.user("b", .user))
        (one.email, one.emailVerified, one.nickname, one.avatarURL) = ("a@example.com", true, "A", "https://a/")
        other.nickname = "B"
        let merged = other.completed(by: one)
        #expect((merged.email, merged.nickname, merged.avatarURL) == ("a@example.com", "B", "https://a/"))
        #expect(merged.emailVerified)
        #expect(merged.uncompleted(to: other, by: one) == other)
        var changed = merged
        changed.avatarURL = "https://new/"
        #expect(changed.uncompleted(to: other, by: one).avatarURL == "https://new/")
        // What the user had before, and has removed since, does not come back; nor does an address that another merge had given.
        changed = merged
        (changed.email, changed.emailVerified, changed.nickname) = (nil, false, nil)
        var former = other
        (former.email, former.emailVerified) = ("a@example.com", true)
        one.nickname = nil
        one.email = nil
        #expect(changed.uncompleted(to: former, by: one).email == nil)
        #expect(changed.uncompleted(to: former, by: one).nickname == nil)
        // An address that is there stays, also one that is not verified: a merge proves nothing.
        other.email = "b@example.com"
        #expect(other.completed(by: one).email == "b@example.com" && !other.completed(by: one).emailVerified)
    }

    @Test("the place in a list of nicknames is read as it was written")
    func cursors() {
        for nickname in ["", "ada", "a b  c", "名字", " x"] {
            let cursor = NicknameCursor(nickname: nickname, user: UserID("user_1"))
            #expect(NicknameCursor(cursor.text) == cursor)
        }
        #expect(NicknameCursor("user_1") == nil)
    }

    @Test("what a text may name")
    func searches() {
        #expect(SupportSearch("+8613800138000").phones.contains("+8613800138000"))
        #expect(SupportSearch("138 0013 8000").qualified == nil)
        let qualified = SupportSearch("apple:001.a:b").qualified
        #expect(qualified?.provider == .apple && qualified?.subject == "001.a:b")
        #expect(SupportSearch("https://a").qualified?.provider == Provider(rawValue: "HTTPS"))
        #expect(SupportSearch("Åda").nicknamePrefix == "Åda" && SupportSearch("ADA").nicknamePrefix == "ada")
    }
}

import FakeApple
import JSON
import TestSupport
import Testing

@Suite("Linking Apple to an account")
struct LinkedAccountTests {
    private let world: DeveloperHouse

    init() throws {
        world = try DeveloperHouse()
    }

    private func link(_ body: JSONObject, to login: Answer) throws -> Answer {
        try world.house.send(.post("/api/users/me/accounts/apple", body, bearer: login.accessToken))
    }

    private func link(_ subject: String, to login: Answer) throws -> Answer {
        try link(world.apple.login(subject), to: login)
    }

    private func unlink(_ login: Answer) throws -> Answer {
        try world.house.delete("/api/users/me/accounts/apple", login)
    }

    private func providers(_ answer: Answer) -> [String] {
        answer["accounts"]?.array?.compactMap { $0.object?["provider"]?.string } ?? []
    }

    @Test("makes it another way of signing in as the same user")
    func linked() throws {
        let login = try world.house.devLogin("dev@example.com")
        let answer = try link("ann", to: login)
        #expect(answer.status == 200)
        #expect(providers(answer) == ["DEV", "APPLE"])
        let listed = try world.house.send(.get("/api/users/me/accounts", bearer: login.accessToken))
        #expect(listed.json == answer.json)
        let accounts = listed["accounts"]?.array?.compactMap(\.object) ?? []
        for account in accounts {
            for name in ["provider", "email", "isPrivateEmail", "linkedAt"] { #expect(account.names.contains(name)) }
        }
        #expect(accounts.last?["isPrivateEmail"] == true)
        let byApple = try world.signIn("ann")
        #expect(byApple.userID == login.userID)
        #expect(byApple["isNewUser"] == false)
        #expect(byApple["user"]?.object?["email"] == "dev@example.com")
        #expect(Eventually.holds { (try? world.isGranted(login.userID)) == true })
    }

    @Test("and unlinking it is the same wherever it is asked", arguments: World.allCases)
    func everywhere(_ world: World) throws {
        let house = try Houses.of(world)
        let login = try house.devLogin("link-\(world)@example.com")
        let body = house.apple.login("link-\(world)")
        let linked = try house.send(.post("/api/users/me/accounts/apple", body, bearer: login.accessToken))
        #expect(linked.status == 200 && providers(linked) == ["DEV", "APPLE"])
        #expect(try house.delete("/api/users/me/accounts/apple", login).status == 204)
        let listed = try house.send(.get("/api/users/me/accounts", bearer: login.accessToken))
        #expect(providers(listed) == ["DEV"])
        let export = try house.send(.get("/api/users/me/export", bearer: login.accessToken))
        #expect(export.status == 200 && providers(export) == ["DEV"])
        let kinds = export["events"]?.array?.compactMap { $0.object?["kind"]?.string } ?? []
        #expect(kinds.contains("account_linked") && kinds.contains("account_unlinked"))
    }

    @Test("is for whoever is signed in")
    func nobody() throws {
        for call in [Call.post("/api/users/me/accounts/apple", world.apple.login("x")), .get("/api/users/me/accounts")]
        {
            #expect(try world.house.send(call).status == 401)
        }
    }

    @Test("is refused where it is somebody else's, or where the account has another one")
    func taken() throws {
        let (ann, dev) = (try world.signIn("ann"), try world.house.devLogin("dev@example.com"))
        let somebodyElses = try link("ann", to: dev)
        #expect(somebodyElses.status == 409 && somebodyElses.code == "account_already_linked")
        let second = try link("bob", to: ann)
        #expect(second.status == 409 && second.code == "account_already_linked")
        #expect(try world.signIn("bob")["isNewUser"] == true)
        // The same once more is what it was.
        #expect(try link("ann", to: ann).status == 200)
    }

    @Test("is never done by an email address")
    func email() throws {
        let dev = try world.house.devLogin("same@example.com")
        let apple = try world.signIn(world.apple.login("ann") { $0.email = "same@example.com" })
        #expect(apple["isNewUser"] == true)
        #expect(apple.userID != dev.userID)
        let other = try world.signIn(world.apple.login("bob") { $0.email = "same@example.com" })
        #expect(other.userID != apple.userID)
    }

    @Test("ends with unlinking: Apple hears of it, and a login by it makes a new user")
    func unlinked() throws {
        let login = try world.house.devLogin("dev@example.com")
        #expect(try link("ann", to: login).status == 200)
        #expect(Eventually.holds { (try? world.isGranted(login.userID)) == true })
        #expect(try unlink(login).status == 204)
        #expect(Eventually.holds { !world.isAuthorised("ann") && world.waiting == 0 })
        #expect(try providers(world.house.send(.get("/api/users/me/accounts", bearer: login.accessToken))) == ["DEV"])
        #expect(try unlink(login).status == 204)
        let again = try world.signIn("ann")
        #expect(again["isNewUser"] == true && again.userID != login.userID)
        #expect(try link("bob", to: login).status == 200)
    }

    @Test("cannot be undone where nothing else is left to sign in by")
    func last() throws {
        let login = try world.signIn("ann")
        let answer = try unlink(login)
        #expect(answer.status == 409 && answer.code == "last_account")
        #expect(try world.signIn("ann").userID == login.userID)
    }

    @Test("a token that was used up makes nobody: not at a login, and not at a link")
    func replayMakesNobody() throws {
        let house = try DeveloperHouse { $0["APPLE_REPLAY_GRACE"] = "0s" }
        let body = house.apple.login("ann")
        let login = try house.signIn(body)
        #expect(try house.house.deleteAccount(login).status == 204)
        let users = try house.number("SELECT count(*) FROM users")
        let again = try house.signIn(body)
        #expect(again.code == "invalid_apple_token" && again["reason"] == "replayed")
        #expect(try house.number("SELECT count(*) FROM users") == users)
        #expect(try house.number("SELECT count(*) FROM auth_accounts") == 0)
        let dev = try house.house.devLogin("dev@example.com")
        let linked = try house.house.send(.post("/api/users/me/accounts/apple", body, bearer: dev.accessToken))
        #expect(linked.status == 422 && linked["reason"] == "replayed")
        #expect(try house.signIn("ann").userID != dev.userID)
    }

    @Test("follows an app to another team: a new name for whom we know by transfer_sub is the same user")
    func transferred() throws {
        let before = try world.signIn(world.apple.login("A") { $0.transferSubject = "T" })
        let after = try world.signIn(world.apple.login("B") { $0.transferSubject = "T" })
        #expect(after.userID == before.userID && after["isNewUser"] == false)
        #expect(try world.signIn("B").userID == before.userID)
        let unknown = try world.signIn(world.apple.login("C") { $0.transferSubject = "U" })
        #expect(unknown["isNewUser"] == true)
        // What has its own user stays there.
        let other = try world.signIn("D")
        #expect(try world.signIn(world.apple.login("D") { $0.transferSubject = "T" }).userID == other.userID)
        #expect(try world.signIn("B").userID == before.userID)
    }

    @Test("knows whom an app was transferred with, too")
    func transferredLink() throws {
        let ann = try world.signIn(world.apple.login("A") { $0.transferSubject = "T" })
        let dev = try world.house.devLogin("dev@example.com")
        #expect(try link(world.apple.login("B") { $0.transferSubject = "T" }, to: dev).code == "account_already_linked")
        #expect(try link(world.apple.login("B") { $0.transferSubject = "T" }, to: ann).status == 200)
        #expect(try world.signIn("B").userID == ann.userID)
    }
}

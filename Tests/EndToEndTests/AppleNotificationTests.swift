import FakeApple
import Foundation
import JSON
import TestSupport
import Testing

/// A house in one of the worlds, and the Apple that tells it things.
private struct Told {
    let apple: FakeAppleServers
    let house: any House
    private let folder: TemporaryFolder

    init(_ world: World, _ adjust: (inout [String: String]) -> Void = { _ in }) throws {
        folder = try TemporaryFolder()
        let apple = try FakeAppleServers(in: folder)
        self.apple = apple
        let introduced: (inout [String: String]) -> Void = { variables in
            DeveloperHouse.introduce(&variables, to: apple)
            adjust(&variables)
        }
        house =
            switch world {
            case .handler: try InProcessHouse(introduced)
            case .fastCGI: try ServedHouse(introduced)
            case .nginx: try FrontedHouse(introduced)
            }
    }

    func signIn(_ subject: String) throws -> Answer {
        try house.send(.post("/api/auth/apple", apple.login(subject)))
    }

    func tell(_ type: String, _ subject: String, _ adjust: (inout NotificationOrder) -> Void = { _ in }) throws
        -> Answer
    {
        var order = NotificationOrder(type: type, subject: subject, audience: FakeAppleStand.bundleID)
        adjust(&order)
        return try tell(apple.service.notification(order))
    }

    func tell(_ body: JSONObject) throws -> Answer { try house.send(.post("/api/auth/apple/notifications", body)) }

    func account(of login: Answer) throws -> JSONObject? {
        try house.send(.get("/api/users/me/accounts", bearer: login.accessToken))["accounts"]?.array?.first?.object
    }
}

/// How a notification may be written.
private let manners = NotificationOrder.Shape.allCases.flatMap { shape in
    NotificationOrder.TimeUnit.allCases.map { (shape, $0) }
}

@Suite("A notification from Apple's servers")
struct AppleNotificationTests {
    @Test("that consent was taken back ends the sessions at once", arguments: World.allCases)
    func consent(_ world: World) throws {
        let told = try Told(world)
        let (login, other) = (try told.signIn("ann"), try told.signIn("bob"))
        let answer = try told.tell("consent-revoked", "ann")
        #expect(answer.status == 200)
        // The guard looks into no database; from outside it cannot be asked.
        if world != .nginx { #expect(try told.house.verify(login.accessToken).code == "session_revoked") }
        #expect(try told.house.me(login.accessToken).code == "session_revoked")
        #expect(try told.house.refresh(login.refreshToken).status == 401)
        #expect(try told.house.me(other.accessToken).status == 200)
    }

    @Test("is read in every form in which Apple writes them", arguments: manners)
    fileprivate func forms(_ shape: NotificationOrder.Shape, _ time: NotificationOrder.TimeUnit) throws {
        let told = try Told(.handler)
        for type in ["consent-revoked", "account-delete", "account-deleted"] {
            let login = try told.signIn(type)
            let answer = try told.tell(type, type) { ($0.shape, $0.time) = (shape, time) }
            #expect(answer.status == 200)
            #expect(try told.house.me(login.accessToken).code == "session_revoked", "\(type)")
        }
        for (type, isForwarded) in [("email-disabled", false), ("email-enabled", true)] {
            let login = try told.signIn("mail")
            #expect(try told.tell(type, "mail") { ($0.shape, $0.time) = (shape, time) }.status == 200)
            #expect(try told.house.me(login.accessToken).status == 200)
            let export = try told.house.send(.get("/api/users/me/export", bearer: login.accessToken))
            let account = export["accounts"]?.array?.first?.object
            #expect(account?["isMailForwarded"] == .bool(isForwarded), "\(export.json)")
        }
    }

    @Test(
        "that consent was taken back leaves of the account what the operator has chosen",
        arguments: [("keep", true), ("unlink", false), ("delete", false)])
    func policies(_ policy: String, _ staysTheSame: Bool) throws {
        let told = try Told(.handler) { $0["APPLE_ON_CONSENT_REVOKED"] = policy }
        let login = try told.signIn("ann")
        #expect(try told.tell("consent-revoked", "ann").status == 200)
        #expect(try told.house.me(login.accessToken).code == "session_revoked")
        let again = try told.signIn("ann")
        #expect(again["isNewUser"] == .bool(!staysTheSame))
        #expect((again.userID == login.userID) == staysTheSame)
    }

    @Test(
        "takes Apple alone from an account that has another way in, unless it is to be deleted",
        arguments: [("keep", true, true), ("unlink", true, false), ("delete", false, false)])
    func policiesForTwo(_ policy: String, _ isThere: Bool, _ isLinked: Bool) throws {
        let told = try Told(.handler) { $0["APPLE_ON_CONSENT_REVOKED"] = policy }
        let login = try told.house.devLogin("two@example.com")
        let linked = try told.house.send(
            .post("/api/users/me/accounts/apple", told.apple.login("ann"), bearer: login.accessToken))
        #expect(linked.status == 200)
        // Apple writes whole seconds: the news is of the second of the link or of a later one.
        #expect(try told.tell("consent-revoked", "ann").status == 200)
        #expect(try told.house.me(login.accessToken).code == "session_revoked")
        #expect((try told.house.devLogin("two@example.com").userID == login.userID) == isThere)
        #expect((try told.signIn("ann").userID == login.userID) == isLinked)
    }

    @Test("is acted on once: the same again does nothing to who has signed in since")
    func once() throws {
        let told = try Told(.handler) { $0["APPLE_ON_CONSENT_REVOKED"] = "keep" }
        let login = try told.signIn("ann")
        var order = NotificationOrder(type: "consent-revoked", subject: "ann", audience: FakeAppleStand.bundleID)
        order.identifier = "the same"
        let body = told.apple.service.notification(order)
        #expect(try told.tell(body).status == 200)
        #expect(try told.house.me(login.accessToken).code == "session_revoked")
        let again = try told.signIn("ann")
        #expect(try told.tell(body).status == 200)
        // Written anew under the same name.
        #expect(try told.tell(told.apple.service.notification(order)).status == 200)
        #expect(try told.house.me(again.accessToken).status == 200)
    }

    @Test("that is older than the last login by Apple, or than the link, ends nothing", arguments: ["login", "link"])
    func old(_ kind: String) throws {
        let told = try Told(.handler)
        let then = Int64(Date().timeIntervalSince1970) - 5
        let login = kind == "login" ? try told.signIn("ann") : try told.house.devLogin("old@example.com")
        if kind == "link" {
            let call = Call.post("/api/users/me/accounts/apple", told.apple.login("ann"), bearer: login.accessToken)
            #expect(try told.house.send(call).status == 200)
        }
        for type in ["consent-revoked", "account-delete"] {
            let events: JSONObject = ["type": .string(type), "sub": "ann", "event_time": .integer(then * 1000)]
            let answer = try told.tell(type, "ann") { $0.claims = ["iat": .integer(then), "events": .object(events)] }
            #expect(answer.status == 200)
        }
        #expect(try told.house.me(login.accessToken).status == 200)
        #expect(try told.signIn("ann").userID == login.userID)
    }

    @Test("of an unknown kind, or about somebody unknown, is 200", arguments: World.allCases)
    func unknown(_ world: World) throws {
        let told = try Told(world)
        let login = try told.signIn("ann")
        for (type, subject) in [("moon-landed", "ann"), ("consent-revoked", "nobody"), ("email-enabled", "nobody")] {
            #expect(try told.tell(type, subject).status == 200)
        }
        #expect(try told.house.me(login.accessToken).status == 200)
    }

    @Test("has to be one, by Apple's signature", arguments: World.allCases)
    func forged(_ world: World) throws {
        let told = try Told(world)
        let login = try told.signIn("ann")
        let order = NotificationOrder(type: "consent-revoked", subject: "ann", audience: FakeAppleStand.bundleID)
        let genuine = try #require(told.apple.service.notification(order)["payload"]?.string)
        let parts = genuine.split(separator: ".").map(String.init)
        let signature = String(parts[2].reversed())
        let identity = try #require(told.apple.login("ann")["identityToken"])
        for payload in [.string(parts[0] + "." + parts[1] + "." + signature), identity, "x"] as [JSONValue] {
            let answer = try told.tell(["payload": payload])
            #expect(answer.status == 401)
            #expect(answer.code == "invalid_apple_token")
        }
        let asLogin = try told.house.send(.post("/api/auth/apple", ["identityToken": .string(genuine)]))
        #expect(asLogin.status == 401 && asLogin.code == "invalid_apple_token")
        #expect(try told.house.me(login.accessToken).status == 200)
        #expect(try told.tell(["payload": .string(genuine)]).status == 200)
        #expect(try told.house.me(login.accessToken).code == "session_revoked")
    }

    @Test("has been acted on when it is answered, whatever becomes of the process")
    func durable() throws {
        let world = try DeveloperHouse()
        let login = try world.signIn("ann")
        let order = NotificationOrder(type: "consent-revoked", subject: "ann", audience: FakeAppleStand.bundleID)
        let answer = try world.house.send(
            .post("/api/auth/apple/notifications", world.apple.service.notification(order)))
        #expect(answer.status == 200)
        try world.house.dieAndComeBack()
        #expect(try world.house.me(login.accessToken).code == "session_revoked")
        #expect(try world.house.refresh(login.refreshToken).status == 401)
    }
}

import FakeApple
import Foundation
import JSON
import TestSupport
import Testing

@Suite("Deleting an account at Apple, too")
struct AppleRevocationTests {
    private func bodyWithoutCode(of subject: String, in world: DeveloperHouse) -> JSONObject {
        var body = world.apple.login(subject)
        body["authorizationCode"] = .none
        return body
    }

    @Test("takes back what Apple has given")
    func revoked() throws {
        let world = try DeveloperHouse()
        let login = try world.signInAndBeGranted("ann")
        _ = try world.signInAndBeGranted("bob")
        let answer = try world.house.deleteAccount(login)
        #expect(answer.status == 204)
        #expect(answer.header("x-apple-revocation") == "queued")
        #expect(answer.header("link") == nil)
        #expect(Eventually.holds { !world.isAuthorised("ann") && world.waiting == 0 })
        #expect(world.isAuthorised("bob"))
        let again = try world.signIn("ann")
        #expect(again["isNewUser"] == true && again.userID != login.userID)
    }

    @Test("is done by whoever asks for it: also by an operator")
    func byOperator() throws {
        let world = try DeveloperHouse()
        let login = try world.signInAndBeGranted("ann")
        try world.house.operate("users", "delete", login.userID, "--yes")
        #expect(Eventually.holds { !world.isAuthorised("ann") && world.waiting == 0 })
    }

    @Test("is left to the user where there is nothing to tell Apple with")
    func byHand() throws {
        let world = try DeveloperHouse()
        let strangers = try ServedHouse()
        let logins: [(any House, Answer)] = [
            (world.house, try world.signIn(bodyWithoutCode(of: "ann", in: world))),
            (strangers, try strangers.send(.post("/api/auth/apple", strangers.apple.login("ann")))),
        ]
        for (house, login) in logins {
            let answer = try house.deleteAccount(login)
            #expect(answer.status == 204)
            #expect(answer.header("x-apple-revocation") == "by-hand")
            #expect(answer.header("link") == #"<https://account.apple.com/account/manage>; rel="help""#)
        }
        // A code is of no use to whom Apple does not know.
        let login = try strangers.send(.post("/api/auth/apple", strangers.apple.login("bob")))
        #expect(try strangers.deleteAccount(login, code: "c").header("x-apple-revocation") == "by-hand")
    }

    @Test("says so in its headers, wherever it is asked", arguments: World.allCases)
    func headers(_ world: World) throws {
        let house = try Houses.of(world)
        let login = try house.send(.post("/api/auth/apple", house.apple.login("headers-\(world)")))
        let answer = try house.deleteAccount(login, code: "c")
        #expect(answer.status == 204)
        #expect(answer.header("x-apple-revocation") == "by-hand")
        #expect(answer.header("link")?.hasPrefix("<https://account.apple.com/") == true)
    }

    @Test("is possible with a fresh code where nothing is stored")
    func freshCode() throws {
        let world = try DeveloperHouse()
        let login = try world.signIn(bodyWithoutCode(of: "ann", in: world))
        let code = world.apple.login("ann")["authorizationCode"]
        let answer = try world.house.deleteAccount(login, code: code)
        #expect(answer.header("x-apple-revocation") == "queued")
        #expect(Eventually.holds { world.requests(of: "/auth/revoke").map(\.status) == [200] && world.waiting == 0 })
        #expect(world.requests(of: "/auth/token").count == 1)
        #expect(!world.isAuthorised("ann"))
    }

    @Test("does not concern who has never used Apple")
    func development() throws {
        let world = try DeveloperHouse()
        let answer = try world.house.deleteAccount(world.house.devLogin("d@example.com"), code: "c")
        #expect(answer.status == 204)
        #expect(answer.header("x-apple-revocation") == nil && answer.header("link") == nil)
        #expect(world.waiting == 0)
    }

    @Test("takes back also what Apple gives only afterwards")
    func pendingExchange() throws {
        let world = try DeveloperHouse()
        world.apple.service.misbehave(FaultOrder(.status, path: "/auth/token"))
        let login = try world.signIn("ann")
        #expect(try world.house.deleteAccount(login).header("x-apple-revocation") == "queued")
        world.apple.service.behave()
        #expect(Eventually.holds { world.requests(of: "/auth/revoke").map(\.status) == [200] && world.waiting == 0 })
        #expect(!world.isAuthorised("ann"))
    }

    @Test("happens though Apple is killed over it, and the server as well; the account is gone at once")
    func killed() throws {
        let apple = try FakeAppleProcess()
        let house = try ServedHouse { apple.introduce(&$0) }
        let login = try house.send(.post("/api/auth/apple", apple.login("ann")))
        #expect(login.status == 200)
        #expect(Eventually.holds { (try? apple.authorisations()) == ["ann"] })
        #expect(Eventually.holds { (try? house.count("auth_accounts WHERE refresh_token IS NOT NULL")) == 1 })
        try apple.order(["fault": "hang", "path": "/auth/revoke"])
        #expect(try house.deleteAccount(login).status == 204)
        #expect(try house.me(login.accessToken).code == "session_revoked")
        #expect(Eventually.holds { (try? apple.requests())?.contains("/auth/revoke") == true })
        try apple.die()
        house.process.signal(SIGKILL)
        _ = house.process.wait()
        try house.restart()
        #expect(try house.me(login.accessToken).status == 401)
        #expect(try house.count("apple_tasks") == 1)
        try apple.comeBack()
        #expect(try apple.authorisations() == ["ann"])
        #expect(Eventually.holds { (try? apple.authorisations()) == [] && (try? house.count("apple_tasks")) == 0 })
    }
}

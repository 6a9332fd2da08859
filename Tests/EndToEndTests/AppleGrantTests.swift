import FakeApple
import Foundation
import JSON
import TestSupport
import Testing

@Suite("What Apple gives for the code of a login")
struct AppleGrantTests {
    private func order(_ kind: FaultOrder.Kind, times: Int64? = nil) -> FaultOrder {
        FaultOrder(kind, path: "/auth/token", times: times)
    }

    @Test("is kept with the account, and nobody reads it, the code or the token in the database or the log")
    func sealed() throws {
        let world = try DeveloperHouse()
        let body = world.apple.login("ann")
        let login = try world.signIn(body)
        #expect(Eventually.holds { (try? world.isGranted(login.userID)) == true })
        #expect(world.waiting == 0)
        let given = world.grantedTokens
        #expect(given.count == 1)
        let token = try #require(body["identityToken"]?.string)
        let secrets =
            try given + [#require(body["authorizationCode"]?.string), token]
            + token.split(separator: ".").map(String.init)
        for suffix in ["", "-wal"] {
            let bytes = FileManager.default.contents(atPath: world.house.database + suffix) ?? Data()
            for secret in secrets { #expect(bytes.range(of: Data(secret.utf8)) == nil) }
        }
        for secret in secrets { #expect(!world.house.process.log.contains(secret)) }
    }

    @Test("is waited for by nobody: a login is answered although Apple says nothing")
    func hanging() throws {
        let world = try DeveloperHouse()
        world.apple.service.misbehave(order(.hang))
        let login = try world.signIn("ann")
        #expect(login.status == 200)
        #expect(Eventually.holds { world.requests(of: "/auth/token").count == 1 })
        #expect(try world.house.me(login.accessToken).status == 200)
        #expect(try !world.isGranted(login.userID))
        world.apple.service.behave()
        #expect(Eventually.holds { (try? world.isGranted(login.userID)) == true })
    }

    @Test("is asked for again after a fault", arguments: [FaultOrder.Kind.status, .garbage, .empty, .close, .redirect])
    func faults(_ kind: FaultOrder.Kind) throws {
        let world = try DeveloperHouse()
        world.apple.service.misbehave(order(kind, times: 2))
        let login = try world.signIn("ann")
        #expect(Eventually.holds { (try? world.isGranted(login.userID)) == true })
        #expect(world.requests(of: "/auth/token").count == 3)
        #expect(Eventually.holds { world.house.process.log.contains(#""event":"apple_task""#) })
        #expect(world.waiting == 0)
    }

    @Test("is not asked for again where Apple does not know the code")
    func unknownCode() throws {
        let world = try DeveloperHouse()
        var body = world.apple.login("ann") { $0.claims = ["c_hash": .null] }
        body["authorizationCode"] = "c-unknown"
        let login = try world.signIn(body)
        #expect(Eventually.holds { world.requests(of: "/auth/token").count == 1 && world.waiting == 0 })
        #expect(try !world.isGranted(login.userID))
        #expect(Eventually.holds { world.house.process.log.contains("does not honour this code") })
        #expect(!world.house.process.log.contains("c-unknown"))
    }

    @Test("waits for the operator where Apple does not know us, and the log says whose turn it is")
    func wrongKey() throws {
        let world = try DeveloperHouse { $0["APPLE_KEY_ID"] = "OTHERKEY01" }
        let login = try world.signIn("ann")
        #expect(Eventually.holds { world.house.process.log.contains("Apple refuses our credentials (invalid_client)") })
        #expect(world.house.process.log.contains(#""level":"error""#))
        #expect(world.waiting == 1)
        world.stop()
        try world.house.restart { $0["APPLE_KEY_ID"] = world.apple.service.developer.keyID }
        #expect(Eventually.holds { (try? world.isGranted(login.userID)) == true })
    }

    @Test("is dropped where the code was somebody else's, whose own it stays", arguments: [false, true])
    func strangersCode(_ isKnown: Bool) throws {
        let world = try DeveloperHouse()
        if isKnown { _ = try world.signIn(bodyWithoutCode(of: "bob", in: world)) }
        let login = try world.signIn(world.apple.login("bob") { $0.claims = ["sub": "ann", "c_hash": .null] })
        #expect(login["isNewUser"] == true)
        #expect(Eventually.holds { world.isAuthorised("bob") && world.waiting == 0 })
        #expect(try !world.isGranted(login.userID))
        #expect(world.requests(of: "/auth/revoke").isEmpty)
        #expect(world.isAuthorised("bob"))
    }

    @Test("is asked for once, however often an app repeats the login that it had no answer to")
    func repeatedLogin() throws {
        let world = try DeveloperHouse()
        world.apple.service.misbehave(order(.status, times: 1))
        let body = world.apple.login("ann")
        let login = try world.signIn(body)
        #expect(try world.signIn(body).userID == login.userID)
        #expect(Eventually.holds { world.waiting == 0 })
        #expect(try world.isGranted(login.userID))
        #expect(world.requests(of: "/auth/token").map(\.error) == [nil, nil])
    }

    private func bodyWithoutCode(of subject: String, in world: DeveloperHouse) -> JSONObject {
        var body = world.apple.login(subject)
        body["authorizationCode"] = .none
        return body
    }
}

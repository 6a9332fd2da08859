import DevelopmentHTTP
import Foundation
import JSON
import StandIn
import StoreSupport
import TestSupport
import Testing

@testable import ServerSupport

@Suite("Exchanging the authorization code")
struct AppleGrantTests {
    private func fault(_ kind: AppleFault, times: Int64? = nil) -> Fault<AppleFault> {
        Fault(kind, path: "/auth/token", times: times)
    }

    @Test("The refresh token is stored encrypted, and no secret appears in the database or the log")
    func encrypted() throws {
        let fixture = try AppleDeveloperFixture()
        let body = fixture.apple.login("ann")
        let login = try fixture.logIn(body)
        #expect(Eventually.holds { (try? fixture.hasGrant(login.userID)) == true })
        #expect(fixture.pendingTasks == 0)
        let given = fixture.grantedTokens
        #expect(given.count == 1)
        let token = try #require(body["identityToken"]?.string)
        let secrets =
            try given + [#require(body["authorizationCode"]?.string), token]
            + token.split(separator: ".").map(String.init)
        let bytes = try fixture.server.testDatabase.content()
        for secret in secrets { #expect(bytes.range(of: Data(secret.utf8)) == nil) }
        for secret in secrets { #expect(!fixture.server.process.log.contains(secret)) }
    }

    @Test("A login does not wait for Apple")
    func hanging() throws {
        let fixture = try AppleDeveloperFixture()
        fixture.apple.service.addFault(fault(.hang))
        let login = try fixture.logIn("ann")
        #expect(login.status == 200)
        #expect(Eventually.holds { !fixture.requests(of: "/auth/token").isEmpty })
        #expect(try fixture.server.me(login.accessToken).status == 200)
        #expect(try !fixture.hasGrant(login.userID))
        fixture.apple.service.removeFaults()
        #expect(Eventually.holds { (try? fixture.hasGrant(login.userID)) == true })
    }

    @Test("The exchange is retried after a fault")
    func faults() throws {
        let fixture = try AppleDeveloperFixture()
        for kind in [AppleFault.close, .garbage] { fixture.apple.service.addFault(fault(kind, times: 1)) }
        let login = try fixture.logIn("ann")
        #expect(Eventually.holds { (try? fixture.hasGrant(login.userID)) == true })
        #expect(fixture.requests(of: "/auth/token").count == 3)
        #expect(Eventually.holds { fixture.server.process.log.contains(#""event":"apple_task""#) })
        #expect(fixture.pendingTasks == 0)
    }

    @Test("The exchange is not retried when Apple does not know the code")
    func unknownCode() throws {
        let fixture = try AppleDeveloperFixture()
        var body = fixture.apple.login("ann") { $0.claims = ["c_hash": .null] }
        body["authorizationCode"] = "c-unknown"
        let login = try fixture.logIn(body)
        #expect(Eventually.holds { fixture.requests(of: "/auth/token").count == 1 && fixture.pendingTasks == 0 })
        #expect(try !fixture.hasGrant(login.userID))
        #expect(Eventually.holds { fixture.server.process.log.contains("no longer accepts this code") })
        #expect(!fixture.server.process.log.contains("c-unknown"))
    }

    @Test("When Apple refuses the credentials, the task waits for the operator and an error is logged")
    func wrongKey() throws {
        let fixture = try AppleDeveloperFixture { $0["APPLE_KEY_ID"] = "OTHERKEY01" }
        let login = try fixture.logIn("ann")
        #expect(
            Eventually.holds {
                fixture.server.process.log.contains("Apple refuses our credentials (invalid_client)")
            })
        #expect(fixture.server.process.log.contains(#""level":"error""#))
        #expect(fixture.pendingTasks == 1)
        fixture.stop()
        try fixture.server.restart { $0["APPLE_KEY_ID"] = fixture.apple.service.developer.keyID }
        #expect(Eventually.holds { (try? fixture.hasGrant(login.userID)) == true })
    }

    @Test("The grant of another user's code is discarded and not revoked")
    func otherUsersCode() throws {
        let fixture = try AppleDeveloperFixture()
        let login = try fixture.logIn(fixture.apple.login("bob") { $0.claims = ["sub": "ann", "c_hash": .null] })
        #expect(login["isNewUser"] == true)
        #expect(Eventually.holds { fixture.isAuthorised("bob") && fixture.pendingTasks == 0 })
        #expect(try !fixture.hasGrant(login.userID))
        #expect(fixture.requests(of: "/auth/revoke").isEmpty)
        #expect(fixture.isAuthorised("bob"))
    }
}

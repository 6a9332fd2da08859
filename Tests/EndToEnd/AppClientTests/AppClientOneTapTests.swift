import Foundation
import FoundationNetworking
import GatehouseClient
import TestSupport
import Testing

@testable import ServerSupport

@Suite("App: one-tap sign-in")
struct AppClientOneTapTests {
    private let app = BoundAppFixture()
    private static let failures = AppClientCodeTests.failures + [.problem(503, "provider_unavailable")]

    @Test("A token signs in with the vendor's name, as a login by phone that is bound to the device's key")
    func signIn() async throws {
        let client = app.client()
        try await client.signIn(numberToken: "token", gateway: "aliyun", nickname: "Mia")
        let seen = try #require(app.server.seen("/api/auth/number").first)
        #expect(seen.method == "POST" && seen.body == ["gateway": "aliyun", "token": "token", "nickname": "Mia"])
        #expect(seen.proof != nil && app.server.faults == [] && app.stored.contains("PHONE"))
    }

    @Test("A token binds the number, and joins with the refresh token")
    func bind() async throws {
        let client = try await app.signedIn()
        #expect(try await client.bindPhone(numberToken: "one", gateway: "jpush") == .linked([]))
        try await client.bindPhone(numberToken: "two", gateway: "jpush", onTaken: .join)
        let seen = app.server.seen("accounts/number")
        #expect(seen.first?.body == ["gateway": "jpush", "token": "one"])
        #expect(seen.last?.body?["onTaken"] == "join" && seen.last?.body?["refreshToken"] != nil)
        #expect(seen.last?.body?["codeId"] == nil && app.server.seen("refresh").count > 0)
    }

    @Test("A token is sent once, whatever becomes of it", arguments: failures)
    func once(failure: BoundServer.Plan) async throws {
        let client = app.client()
        app.server.plan("number", failure, failure)
        await #expect(throws: GatehouseError.self) { try await client.signIn(numberToken: "token", gateway: "aliyun") }
        #expect(app.server.seen("number").count == 1 && client.state == .signedOut(nil))
    }

    @Test("Where the server may have used the token, the error says that another one is needed")
    func usedToken() async throws {
        app.server.plan("number", .problem(503, "provider_unavailable"))
        let error = await #expect(throws: GatehouseError.self) {
            try await app.client().signIn(numberToken: "secret-token", gateway: "aliyun")
        }
        #expect(error?.description.contains("get a new one from the library") == true)
        #expect(error?.description.contains("secret-token") == false)
    }
}

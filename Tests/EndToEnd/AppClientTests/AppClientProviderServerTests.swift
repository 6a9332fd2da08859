import Foundation
import GatehouseClient
import JSON
import StandIn
import TestSupport
import Testing

@testable import ServerSupport

/// Logins by other providers at the real server, which demands a nonce in each proof. Stand-ins play the providers.
@Suite("App: other providers, at the server")
struct AppClientProviderServerTests {
    private let fixture: ProviderFixture
    private let app: AppClientFixture
    private let keys = TestDeviceKeys()

    init() throws {
        fixture = try ProviderFixture(.nginx) { $0["DPOP_NONCE"] = "required" }
        app = try AppClientFixture(try #require(fixture.server as? ServerBehindNginx))
    }

    private func client() -> GatehouseClient { app.client(FaultyStore(), binding: .keys(keys)) }

    private func google(_ person: String, _ client: GatehouseClient) async throws -> ProviderLogin {
        let nonce = try await client.challenge().nonce
        let token = try fixture.token("google", ["sub": .string(person), "nonce": .string(nonce)])
        return .google(idToken: token["identityToken"]?.string ?? "", nonce: nonce)
    }

    private func weChat(_ person: String) throws -> ProviderLogin {
        .weChat(code: try fixture.code("wechat", ["openid": .string(person)])["code"]?.string ?? "")
    }

    private func qq(_ person: String) throws -> ProviderLogin {
        let minted = try fixture.providers.control("/qq/mint", ["openid": .string(person)])
        return .qq(accessToken: minted["accessToken"]?.string ?? "")
    }

    /// On a busy machine a stand-in may answer too late for the server, and the user tries again with another proof.
    private func signIn(_ client: GatehouseClient, _ login: () async throws -> ProviderLogin) async throws -> Session {
        var session: Session?
        _ = try await Eventually.becomesTrue(every: 1) {
            do {
                session = try await client.signIn(with: login())
            } catch GatehouseError.refused(let problem) where problem.code == .providerUnavailable {
                return false
            }
            return true
        }
        return try #require(session)
    }

    @Test("Each provider signs in with a bound session, although the first proof lacks the server's nonce")
    func signsIn() async throws {
        let client = client()
        let weChat = try await signIn(client) { try self.weChat("oAnn-1") }
        #expect(
            weChat.isNewUser && app.transport.sent("auth/identity").map(\.status).filter { $0 != 503 } == [401, 200])
        #expect(try await client.sessions().map(\.bound) == [true])
        for provider in [Provider.google, .qq] {
            let session = try await signIn(client) {
                provider == .qq ? try qq("oAnn-1") : try await google("ann", client)
            }
            #expect(session.isNewUser)
            #expect(try await client.accounts().map(\.provider) == [provider])
            #expect(await client.loginProvider == provider)
        }
        #expect(try await signIn(client) { try self.weChat("oAnn-1") }.user.id == weChat.user.id)
    }

    @Test("Another provider is linked, signs in as the same user, and is unlinked")
    func links() async throws {
        let client = client()
        let user = try await signIn(client) { try await google("ann", client) }.user
        #expect(try await client.link(weChat("oAnn-1")).map(\.provider) == [.google, .weChat])
        #expect(try await signIn(client) { try weChat("oAnn-1") }.user.id == user.id)
        try await client.unlink(provider: .google)
        #expect(try await client.accounts().map(\.provider) == [.weChat])
        let error = await #expect(throws: GatehouseError.self) { try await client.unlink(provider: .weChat) }
        guard case .refused(let problem) = error else { return #expect(Bool(false), "\(error as Any)") }
        #expect(problem.code == .lastAccount)
    }
}

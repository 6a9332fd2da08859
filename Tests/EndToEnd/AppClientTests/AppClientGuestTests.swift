import Foundation
import GatehouseClient
import JOSE
import JSON
import TestSupport
import Testing

@testable import ServerSupport

/// Guests of the library at the real server, each bound to the key of the device.
@Suite("App: guests, at the server")
struct AppClientGuestTests {
    private let fixture: ProviderFixture
    private let app: AppClientFixture
    private let store = FaultyStore()
    private let keys = TestDeviceKeys()

    init() throws {
        fixture = try ProviderFixture(.nginx) { $0["GUESTS"] = "bound" }
        app = try AppClientFixture(try #require(fixture.server as? ServerBehindNginx))
    }

    private func client(_ store: FaultyStore? = nil) -> GatehouseClient {
        app.client(store ?? self.store, binding: .keys(keys))
    }

    private func google(_ person: String) throws -> ProviderLogin {
        let token = try fixture.token("google", ["sub": .string(person)])
        return .google(idToken: token["identityToken"]?.string ?? "")
    }

    @Test("The same device is the same guest, also after a sign-out and an installation that keeps only the keys")
    func sameGuest() async throws {
        let client = client()
        let guest = try await client.continueAsGuest(nickname: "Ann")
        #expect(guest.isNewUser && guest.user.isGuest && guest.user.nickname == "Ann")
        #expect(try await client.sessions().map(\.bound) == [true])
        #expect(await client.signOut() == .delivered)
        #expect(keys.names == ["guest"], "the key of guests stays")
        #expect(try await client.continueAsGuest().user.id == guest.user.id)
        let reinstalled = try await self.client(FaultyStore()).continueAsGuest()
        #expect(reinstalled.user.id == guest.user.id && !reinstalled.isNewUser)
    }

    @Test("Linking makes a user of the guest, whose next tokens are a user's; the next guest is another user")
    func link() async throws {
        let client = client()
        let guest = try await client.continueAsGuest()
        #expect(try await client.link(google("link-1")).map(\.provider) == [.google])
        guard case .signedIn(let present) = try await client.restore() else { return #expect(Bool(false)) }
        #expect(present.user.id == guest.user.id && !present.user.isGuest)
        let claims = try await client.accessToken().split(separator: ".")[1]
        let payload = try JSONValue(parsing: Base64URL.decode(String(claims)) ?? [])
        #expect(payload.object?["guest"] == nil)
        _ = await client.signOut()
        #expect(keys.names == ["guest"])
        let next = try await client.continueAsGuest()
        #expect(next.isNewUser && next.user.id != guest.user.id)
    }

    @Test("An account of another user is refused, and with join the guest becomes that user, with the same key")
    func join() async throws {
        let owner = try await client(FaultyStore()).signIn(with: google("join-1"))
        let client = client()
        let guest = try await client.continueAsGuest()
        let login = try google("join-1")
        let refusal = await #expect(throws: GatehouseError.self) { try await client.link(login, onTaken: .refuse) }
        if case .refused(let problem) = refusal {
            #expect(problem.code == .accountAlreadyLinked && problem.reason == .identity)
        } else {
            Issue.record("the account is another user's: \(String(describing: refusal))")
        }
        guard case .joined(let session) = try await client.link(login, onTaken: .join) else {
            return #expect(Bool(false), "the guest has joined nobody")
        }
        #expect(session.user.id == owner.user.id && !session.user.isGuest && session.user.id != guest.user.id)
        app.expireToken()
        #expect(try await client.user().id == owner.user.id)
        _ = try await client.export()
    }

    @Test("A session of before there were guests is read, and its user is none")
    func storedUser() throws {
        let json = """
            {"id": "user_1", "email": null, "emailVerified": false, "phone": null, "nickname": null, "avatarUrl": null,
             "role": "USER", "status": "ACTIVE", "onboardingCompleted": true}
            """
        #expect(try !JSONDecoder().decode(User.self, from: Data(json.utf8)).isGuest)
        let guest = try JSONDecoder().decode(
            User.self, from: JSONEncoder().encode(User(id: "user_1", isGuest: true)))
        #expect(guest.isGuest)
    }
}

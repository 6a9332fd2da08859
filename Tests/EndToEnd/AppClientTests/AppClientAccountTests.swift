import Foundation
import FoundationNetworking
import GatehouseClient
import JSON
import StandIn
import Testing

@testable import ServerSupport

@Suite("App: accounts")
struct AppClientAccountTests {
    private let app: AppClientFixture

    init() throws { app = try AppClientFixture() }

    private func appleLogin(_ subject: String, nonce: String? = nil, email: String? = nil) throws -> AppleLogin {
        let body = app.server.apple.login(subject) {
            $0.nonce = nonce
            $0.email = email ?? "\(subject)@example.com"
        }
        return AppleLogin(identityToken: body["identityToken"]?.string ?? "", nonce: nonce)
    }

    @Test("A login with Apple and the server's nonce creates a user with the name that Apple gave")
    func appleLogin() async throws {
        let client = app.client()
        let challenge = try await client.challenge()
        #expect(challenge.expiresIn > 0)
        var login = try appleLogin(UUID().uuidString, nonce: challenge.nonce)
        login.fullName = AppleLogin.Name(givenName: "Ada", familyName: "Lovelace")
        let session = try await client.signIn(apple: login)
        #expect(session.isNewUser)
        #expect(session.user.nickname == "Ada Lovelace")
        #expect(session.user.role == .user)
        #expect(try await client.accounts().map(\.provider) == [.apple])
    }

    @Test("A new user with a known address can be discarded, and no other user: then the user signs in as before")
    func knownAddress() async throws {
        let (before, email) = (UUID().uuidString, "\(UUID().uuidString)@example.com")
        let older = try await app.client().signIn(apple: appleLogin(before, email: email))
        #expect(older.isNewUser && !older.isKnownAddress)
        let client = app.client()
        await #expect(throws: GatehouseError.self) { try await client.discardNewUser() }
        let new = try await client.signIn(apple: appleLogin(UUID().uuidString, email: email))
        #expect(new.isNewUser && new.isKnownAddress && client.state == .signedIn(new))
        try await client.discardNewUser()
        #expect(client.state == .signedOut(.accountDeleted))
        let again = try await client.signIn(apple: appleLogin(before, email: email))
        #expect(again.user == older.user && !again.isNewUser && !again.isKnownAddress)
        await #expect(throws: GatehouseError.superseded) { try await client.discardNewUser() }
        #expect(try await client.user() == older.user)
    }

    @Test("A change of the profile is in the state and in the store")
    func profile() async throws {
        let store = FaultyStore()
        let client = try await app.signedIn(store)
        let changed = try await client.update(
            ProfileChange(
                nickname: .set("Ada"), avatarUrl: .set(URL(string: "https://example.com/a.png")!),
                onboardingCompleted: true))
        #expect(changed.nickname == "Ada")
        #expect(changed.onboardingCompleted)
        #expect(try await client.update(ProfileChange(avatarUrl: .remove)).avatarUrl == nil)
        let user = try await client.user()
        #expect(user.nickname == "Ada")
        #expect(try await client.update(ProfileChange()) == user, "a change of nothing")
        #expect(try await app.client(store).restore() == .signedIn(Session(user: user, isNewUser: false)))
    }

    @Test("The user's sessions are listed, and another one can be ended")
    func sessions() async throws {
        let login = app.login()
        let (client, other) = (app.client(), app.client())
        try await client.signIn(development: login)
        try await other.signIn(development: login)
        let listed = try await client.sessions()
        #expect(listed.map(\.current).sorted { $0 && !$1 } == [true, false])
        #expect(listed.allSatisfy { abs($0.createdAt.timeIntervalSinceNow) < 3600 })
        try await client.end(session: #require(listed.first { !$0.current }).id)
        await #expect(throws: GatehouseError.signedOut(.refused(.refreshTokenRevoked))) { try await other.user() }
        #expect(try await client.sessions().count == 1)
    }

    @Test(
        "An id is one segment of the path, whatever it contains",
        arguments: [
            ("a/b?c#d%e f;g", "a%2Fb%3Fc%23d%25e%20f%3Bg"), ("..", "%252E%252E"),
            ("x/../..", "x%2F%252E%252E%2F%252E%252E"), ("é", "%C3%A9"),
        ])
    func segment(id: String, encoded: String) async throws {
        let client = try await app.signedIn()
        // Without this, an id such as `x/../..` would delete the account.
        await #expect { try await client.end(session: id) } throws: { error in
            if case GatehouseError.refused(let problem) = error { problem.code == .notFound } else { false }
        }
        #expect(app.transport.sent().last?.url.hasSuffix("/api/users/me/sessions/" + encoded) == true)
        #expect(try await client.user().status == .active)
    }

    @Test("An Apple Account is linked and unlinked; a bad token is refused without a refresh")
    func linking() async throws {
        let client = try await app.signedIn()
        let subject = UUID().uuidString
        #expect(try await client.link(apple: appleLogin(subject)).map(\.provider) == [.development, .apple])
        let other = try await app.signedIn()
        let error = await #expect(throws: GatehouseError.self) { try await other.link(apple: appleLogin(subject)) }
        guard case .refused(let problem) = error else { return #expect(Bool(false)) }
        #expect(problem.code == .accountAlreadyLinked)
        await #expect(throws: GatehouseError.self) { try await other.link(apple: AppleLogin(identityToken: "x")) }
        try await client.unlinkApple()
        #expect(try await client.accounts().map(\.provider) == [.development])
        #expect(app.transport.sent("auth/refresh").isEmpty)
    }

    @Test("The export is the server's document")
    func export() async throws {
        let client = try await app.signedIn()
        let document = try JSONValue(parsing: Array(try await client.export())).object
        #expect(document?["user"]?.object?["id"]?.string == (try await client.user().id))
    }

    @Test("Deleting the account signs out and says what becomes of Apple's tokens")
    func deletion() async throws {
        let store = FaultyStore()
        let client = try await app.signedIn(store)
        #expect(try await client.deleteAccount(authorizationCode: nil) == .notNeeded)
        #expect(client.state == .signedOut(.accountDeleted))
        #expect(store.contents == nil)
        try await client.signIn(apple: appleLogin(UUID().uuidString))
        guard case .byHand(let page?) = try await client.deleteAccount(authorizationCode: nil) else {
            return #expect(Bool(false))
        }
        #expect(page.host?.hasSuffix("apple.com") == true)
    }

    @Test("If the answer of a deletion is lost, asking once more tells that the account is gone")
    func lostDeletion() async throws {
        let client = try await app.signedIn()
        app.transport.plan("users/me", .loseAnswer)
        #expect(try await client.deleteAccount(authorizationCode: nil) == .unknown)
        #expect(client.state == .signedOut(.accountDeleted))
    }

    // MARK: Secrecy

    @Test("Tokens appear in no description, reflection, error or state")
    func secrecy() async throws {
        let store = FaultyStore()
        let client = try await app.signedIn(store)
        let contents = String(decoding: try #require(store.contents), as: UTF8.self)
        let secrets = contents.matches(of: /eyJ[A-Za-z0-9._-]{60,}/).map { String($0.output) }
        #expect(Set(secrets).count == 2)
        let login = try appleLogin("secret")
        app.transport.plan("users/me", .loseRequest(), times: 1)
        var errors: [any Error] = []
        do { _ = try await client.user() } catch { errors.append(error) }
        do { _ = try await client.send(URLRequest(url: URL(string: "https://example.com")!)) } catch {
            errors.append(error)
        }
        let development = DevelopmentLogin(email: "", devSecret: "a secret of developers")
        let others: [ProviderLogin] = [
            .google(idToken: "an identity token", nonce: "n", accessToken: "an access token"),
            .weChat(code: "a used code"),
        ]
        let values: [Any] = [client, client.state, login, development, others, others.map(\.provider)] + errors
        var text = ""
        for value in values {
            text += "\(value) \(String(reflecting: value)) "
            dump(value, to: &text)
        }
        let given = [
            login.identityToken, development.devSecret, "an identity token", "an access token", "a used code",
        ]
        for (index, secret) in (secrets + given).enumerated() {
            let isPrinted = text.contains(secret)
            #expect(!isPrinted, "secret \(index)")
        }
    }
}

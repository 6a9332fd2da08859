import Foundation
import FoundationNetworking
import GatehouseClient
import Testing

@testable import ServerSupport

/// What the tests and previews of an app use instead of a server.
@Suite("An app without a server")
struct CannedTransportTests {
    private let user = User(id: "user_1", email: "ann@example.com", nickname: "Ann", role: .admin)
    private let request = URLRequest(url: URL(string: "https://api.example.com/notes?page=2")!)

    private func client(_ transport: CannedTransport) -> GatehouseClient {
        GatehouseClient(URL(string: "https://api.example.com")!, store: MemorySessionStore(), transport: transport)
    }

    private func signedIn(_ transport: CannedTransport) async throws -> GatehouseClient {
        let client = client(transport)
        try await client.signIn(apple: AppleLogin(identityToken: "any", nonce: client.challenge().nonce))
        return client
    }

    @Test("With a user, every call of the client succeeds that needs no answer of the app's own")
    func user() async throws {
        let transport = CannedTransport(user: user, ["GET /notes": .json("[1]")])
        let client = try await signedIn(transport)
        #expect(client.state == .signedIn(Session(user: user)))
        #expect(try await client.user() == user)
        #expect(try await client.update(ProfileChange(nickname: .set("Bea"))) == user)
        #expect(try await client.send(request).0 == Data("[1]".utf8))
        #expect(transport.requests.last?.value(forHTTPHeaderField: "Authorization") == "Bearer access")
        #expect(try await client.accessToken(replacing: "access") == "access")
        #expect(transport.requests.last?.url?.path == "/api/auth/refresh")
        #expect(await client.signOut(everywhere: true) == .delivered)
        #expect(try await client.signIn(with: .google(idToken: "any")).user == user)
        try await client.signIn(development: DevelopmentLogin(email: "ann@example.com", devSecret: "any"))
        #expect(try await client.deleteAccount(authorizationCode: nil) == .notNeeded)
        #expect(client.state == .signedOut(.accountDeleted))
    }

    @Test("With a user, a code is sent, signs in and binds a number, and a test may refuse it")
    func codes() async throws {
        let transport = CannedTransport(user: user)
        let client = client(transport)
        let sent = try await client.requestCode(to: .phone("+8613800138000"))
        #expect(try await client.signIn(code: "123456", for: sent).user == user)
        #expect(try await client.bindPhone(code: "123456", for: sent) == .linked([]))
        transport["POST /api/auth/codes"] = .answer(
            status: 429, headers: ["Retry-After": "90"],
            body: Data(#"{"status":429,"code":"too_many_codes","detail":""}"#.utf8))
        let error = await #expect(throws: GatehouseError.self) { try await client.requestCode(to: sent.to) }
        #expect(error?.code == .tooManyCodes && error?.retryAfter == .seconds(90))
    }

    @Test("An answer is changed while the app runs: the server ends the session, or there is no network")
    func changed() async throws {
        let transport = CannedTransport(user: user)
        let client = try await signedIn(transport)
        #expect(try await client.send(request).1.statusCode == 404)
        transport["GET /notes"] = .noAnswer(.notConnectedToInternet)
        await #expect(throws: GatehouseError.noAnswer(.notConnectedToInternet)) { try await client.send(request) }
        transport["GET /notes"] = .problem(.sessionRevoked, status: 401)
        transport["POST /api/auth/refresh"] = .problem(.refreshTokenRevoked, status: 401)
        let end = SignOutReason.refused(.refreshTokenRevoked)
        await #expect(throws: GatehouseError.signedOut(end)) { try await client.send(request) }
        #expect(client.state == .signedOut(end))
    }

    @Test("Without a user, no login succeeds, and the problem says which answer is missing")
    func noUser() async throws {
        let transport = CannedTransport()
        let problem = Problem(
            status: 404, code: .notFound, detail: "No answer to POST /api/auth/apple is given.")
        await #expect(throws: GatehouseError.refused(problem)) {
            try await client(transport).signIn(apple: AppleLogin(identityToken: "any"))
        }
    }

    @Test("The values that a view shows equal an answer with the same members")
    func values() async throws {
        let answers = [
            "GET /api/users/me/sessions": CannedTransport.Answer.json(
                """
                {"sessions":[{"id":"sess_1","provider":"APPLE","device":"Notes/1","address":null,"lastDevice":null,
                "lastAddress":"192.0.2.1","createdAt":"2026-11-21T09:00:00.000Z","lastUsedAt":"2026-11-21T09:00:10Z",
                "current":true}]}
                """),
            "GET /api/users/me/accounts": .json(
                """
                {"accounts":[{"provider":"DEV","email":"ann@example.com","emailVerified":true,
                "linkedAt":"2026-11-21T09:00:00.000Z"}]}
                """),
        ]
        let client = try await signedIn(CannedTransport(user: user, answers))
        let time = Date(timeIntervalSince1970: 1_795_251_600)
        #expect(
            try await client.sessions() == [
                ListedSession(
                    id: "sess_1", device: "Notes/1", lastAddress: "192.0.2.1", createdAt: time,
                    lastUsedAt: time.addingTimeInterval(10), current: true)
            ])
        #expect(
            try await client.accounts() == [
                LinkedAccount(provider: .development, email: "ann@example.com", emailVerified: true, linkedAt: time)
            ])
    }
}

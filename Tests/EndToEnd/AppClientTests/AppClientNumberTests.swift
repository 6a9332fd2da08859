import Foundation
import FoundationNetworking
import GatehouseClient
import TestSupport
import Testing

@testable import ServerSupport

/// The number of a user who has signed in otherwise, with a server that answers as a test has planned.
@Suite("App: phone numbers")
struct AppClientNumberTests {
    private let app = BoundAppFixture()
    private let sent = SentCode(id: "code_1", to: .phone("+8613800138000"))

    private static let other = """
        {"id":"user_2","email":null,"emailVerified":false,"phone":"+8613800138000","nickname":"Mia","avatarUrl":null,
        "role":"USER","status":"ACTIVE","onboardingCompleted":true}
        """

    /// The answer where two users were joined.
    private static func joined(tokenType: String = "DPoP") -> BoundServer.Plan {
        .answer(
            200,
            body: """
                {"accessToken":"joined_access","refreshToken":"joined_refresh","tokenType":"\(tokenType)","expiresIn":900,
                "isNewUser":false,"user":\(other)}
                """)
    }

    private static let withNumber = BoundServer.user.replacing(
        #""nickname""#, with: #""phone":"+8613800138000","nickname""#)

    // MARK: Binding

    @Test("Binding sends the code once with its id, with the access token and a proof")
    func bound() async throws {
        let client = try await app.signedIn()
        #expect(try await client.bindPhone(code: "123 456", for: sent) == .linked([]))
        let seen = try #require(app.server.seen("accounts/phone").first)
        #expect(seen.method == "POST" && seen.body == ["codeId": "code_1", "code": "123456"])
        #expect(seen.authorization == "DPoP access1" && app.server.faults == [])
    }

    @Test("The members that ask for joining and replacing are sent only where the app asks for it")
    func members() async throws {
        let client = try await app.signedIn()
        try await client.bindPhone(code: "123456", for: sent, onTaken: .join)
        try await client.bindPhone(code: "123456", for: sent, replacing: true)
        let mail = SentCode(id: "code_2", to: .email("mia@example.com"))
        try await client.link(code: "123456", for: mail, onTaken: .refuse)
        #expect(
            app.server.seen("accounts/phone").map { [$0.body?["onTaken"], $0.body?["replace"]] } == [
                ["join", nil], [nil, "true"],
            ])
        #expect(app.server.seen("accounts/email").map(\.body) == [["codeId": "code_2", "code": "123456"]])
    }

    @Test("After binding, the token is refreshed, and the state has the user with the number")
    func renewed() async throws {
        let client = try await app.signedIn()
        app.server.plan("me", .answer(200, body: Self.withNumber))
        try await client.bindPhone(code: "123456", for: sent)
        #expect(app.server.seen("refresh").count == 1)
        #expect(try await client.accessToken() != "access1")
        guard case .signedIn(let session) = client.state else { return #expect(Bool(false), "\(client.state)") }
        #expect(session.user.phone == "+8613800138000" && app.stored.contains("+8613800138000"))
    }

    @Test("A refresh that fails after binding loses neither the result nor the session, and the next request refreshes")
    func refreshFails() async throws {
        let client = try await app.signedIn()
        app.server.plan("refresh", .loseRequest, .loseRequest, .loseRequest)
        #expect(try await client.bindPhone(code: "123456", for: sent) == .linked([]))
        #expect(try await client.send(app.request()).1.statusCode == 200)
        #expect(app.server.seen("notes").first?.authorization != "DPoP access1")
    }

    @Test("Linking a mail address refreshes nothing")
    func mail() async throws {
        let client = try await app.signedIn()
        try await client.link(code: "123456", for: SentCode(id: "code_2", to: .email("mia@example.com")))
        #expect(app.server.seen("refresh").isEmpty)
    }

    @Test(
        "A code for binding is sent once, whatever becomes of it",
        arguments: AppClientCodeTests.failures + [.problem(401, "invalid_code"), .answer(401, body: "of a proxy")])
    func sentOnce(failure: BoundServer.Plan) async throws {
        let client = try await app.signedIn()
        let state = client.state
        app.server.plan("phone", failure, failure)
        await #expect(throws: GatehouseError.self) { try await client.bindPhone(code: "123456", for: sent) }
        #expect(app.server.seen("phone").count == 1 && client.state == state && app.server.seen("refresh").isEmpty)
    }

    // MARK: Joining

    @Test("Where two users are joined, the other user is signed in, in the memory and in the store")
    func join() async throws {
        let client = try await app.signedIn()
        app.server.plan("phone", Self.joined())
        let result = try await client.bindPhone(code: "123456", for: sent, onTaken: .join)
        guard case .joined(let session) = result else { return #expect(Bool(false), "\(result)") }
        #expect(session.user.id == "user_2" && session.user.phone == "+8613800138000" && !session.isNewUser)
        #expect(client.state == .signedIn(session) && app.stored.contains("joined_refresh"))
        #expect(await client.loginProvider == .phone)
        let restarted = app.client()
        #expect(try await restarted.restore() == .signedIn(session))
        #expect(try await restarted.accessToken() == "joined_access")
    }

    @Test("A joining is sent with the session's refresh token; after a refusal of it, the next one refreshes first")
    func refreshToken() async throws {
        let client = try await app.signedIn()
        app.server.plan("phone", .problem(422, "invalid_refresh_token"), Self.joined())
        await #expect(throws: GatehouseError.self) {
            try await client.bindPhone(code: "123456", for: sent, onTaken: .join)
        }
        #expect(app.server.seen("phone").last?.body?["refreshToken"] == "refresh1")
        try await client.bindPhone(code: "123456", for: sent, onTaken: .join)
        #expect(app.server.seen("refresh").count == 1)
        #expect(app.server.seen("phone").last?.body?["refreshToken"] == "refresh2")
    }

    @Test("The session of two joined users keeps the key of the device, whose proofs the server demands")
    func joinedKey() async throws {
        let client = try await app.signedIn()
        app.server.plan("phone", Self.joined())
        try await client.bindPhone(code: "123456", for: sent, onTaken: .join)
        let isEnded = try await Eventually.becomesTrue { app.server.seen("logout").count == 1 }
        #expect(isEnded && app.server.seen("logout").first?.body == ["refreshToken": "refresh1"])
        _ = try await client.send(app.request())
        app.expireToken()
        _ = try await client.accessToken()
        let seen = app.server.seen()
        #expect(seen.last { $0.path.hasSuffix("notes") }?.authorization == "DPoP joined_access")
        #expect(seen.last { $0.path.hasSuffix("refresh") }?.body == ["refreshToken": "joined_refresh"])
        #expect(Set(seen.compactMap { $0.proof?.key }).count == 1 && app.server.faults == [])
        #expect(app.keys.names.count == 1)
    }

    @Test("A joined session that the server has not bound has no key")
    func unbound() async throws {
        let client = try await app.signedIn()
        app.server.plan("phone", Self.joined(tokenType: "Bearer"))
        try await client.bindPhone(code: "123456", for: sent, onTaken: .join)
        _ = try await client.send(app.request())
        #expect(app.server.seen("notes").first?.authorization == "Bearer joined_access")
    }

    @Test("A cancelled task waits no longer, and the session of two joined users is kept")
    func cancelled() async throws {
        let client = try await app.signedIn()
        let gate = Gate()
        app.server.plan("phone", .answerAfter(gate, Self.joined()))
        let binding = Task { try await client.bindPhone(code: "123456", for: sent, onTaken: .join) }
        await gate.arrival()
        binding.cancel()
        await #expect(throws: GatehouseError.cancelled) { try await binding.value }
        await gate.open()
        let isKept = try await Eventually.becomesTrue { app.stored.contains("joined_refresh") }
        #expect(isKept && app.server.seen("phone").count == 1)
        #expect(try await client.accessToken() == "joined_access")
    }

    @Test("A user who signs out before the answer of the joining stays signed out, and its session is ended")
    func signedOutBefore() async throws {
        let client = try await app.signedIn()
        let gate = Gate()
        app.server.plan("phone", .answerAfter(gate, Self.joined()))
        let binding = Task { try await client.bindPhone(code: "123456", for: sent, onTaken: .join) }
        await gate.arrival()
        await client.signOut()
        await gate.open()
        await #expect(throws: GatehouseError.superseded) { try await binding.value }
        #expect(client.state == .signedOut(.requested))
        let areEnded = try await Eventually.becomesTrue { app.server.seen("logout").count == 2 }
        let isKeyDeleted = try await Eventually.becomesTrue { app.keys.names == [] }
        #expect(areEnded && isKeyDeleted && app.server.faults == [])
        #expect(Set(app.server.seen("logout").map { $0.body?["refreshToken"] }) == ["refresh1", "joined_refresh"])
    }

    @Test(
        "A lost answer of a joining ends nothing here: the server's refusal of the old session does, with the next request"
    )
    func lostAnswer() async throws {
        let client = try await app.signedIn()
        app.server.plan("phone", .loseAnswer)
        await #expect(throws: GatehouseError.noAnswer(.networkConnectionLost)) {
            try await client.bindPhone(code: "123456", for: sent, onTaken: .join)
        }
        guard case .signedIn = client.state else { return #expect(Bool(false), "\(client.state)") }
        app.server.plan("me", .problem(401, "session_revoked"))
        app.server.plan("refresh", .problem(401, "refresh_token_revoked"))
        let end = SignOutReason.refused(.refreshTokenRevoked)
        await #expect(throws: GatehouseError.signedOut(end)) { try await client.user() }
    }

    // MARK: A number is required

    @Test("A refusal for want of a number is an error of its own, and causes one refresh for each token")
    func required() async throws {
        let client = try await app.signedIn()
        for _ in 0..<6 { app.server.plan("sessions", .problem(403, "phone_required")) }
        for _ in 0..<3 {
            let error = await #expect(throws: GatehouseError.self) { try await client.sessions() }
            #expect(error?.code == .phoneRequired && error?.isTemporary == false)
        }
        #expect(app.server.seen("refresh").count == 1 && app.server.seen("sessions").count == 4)
        guard case .signedIn = client.state else { return #expect(Bool(false), "\(client.state)") }
    }

    @Test("A number that was bound on another device is noticed: the request is sent again with a new token")
    func boundElsewhere() async throws {
        let client = try await app.signedIn()
        app.server.plan("notes", .problem(403, "phone_required"))
        #expect(try await client.send(app.request("/notes", "POST")).1.statusCode == 200)
        #expect(app.server.seen("notes").map(\.authorization) == ["DPoP access1", "DPoP access2"])
    }

    @Test("Requests that are refused at the same time share one refresh")
    func shared() async throws {
        let client = try await app.signedIn()
        let gate = Gate()
        for _ in 0..<5 { app.server.plan("notes", .answerAfter(gate, .problem(403, "phone_required"))) }
        try await withThrowingTaskGroup(of: Int.self) { group in
            for _ in 0..<5 { group.addTask { try await client.send(app.request("/notes")).1.statusCode } }
            await gate.arrival(5)
            await gate.open()
            for try await status in group { #expect(status == 200) }
        }
        #expect(app.server.seen("refresh").count == 1 && app.server.seen("notes").count == 10)
    }

    @Test("A request that was refused for want of a number is not sent again as another user")
    func otherUser() async throws {
        let client = try await app.signedIn()
        let gate = Gate()
        app.server.plan("notes", .answerAfter(gate, .problem(403, "phone_required")))
        let late = Task { try await client.send(app.request("/notes")).1.statusCode }
        await gate.arrival()
        try await client.signIn(development: app.login)
        await gate.open()
        #expect(try await late.value == 403)
        #expect(app.server.seen("notes").count == 1)
    }

    @Test("An answer of the app's own request names the problem")
    func problemOfAnswer() async throws {
        let client = try await app.signedIn()
        app.server.plan(
            "notes", .problem(403, "phone_required"), .problem(403, "phone_required", headers: ["Retry-After": "5"]),
            .answer(403, body: "of a service"))
        let problem = try await Problem(client.send(app.request("/notes")))
        #expect(problem?.code == .phoneRequired && problem?.status == 403 && problem?.retryAfter == .seconds(5))
        #expect(try await Problem(client.send(app.request("/notes"))) == nil)
    }

    @Test("Without an answer to the refresh, the refusal is the answer, and the session stays")
    func offline() async throws {
        let client = try await app.signedIn()
        app.server.plan("notes", .problem(403, "phone_required"))
        app.server.plan("refresh", .loseRequest, .loseRequest, .loseRequest)
        #expect(try await client.send(app.request("/notes")).1.statusCode == 403)
        guard case .signedIn = client.state else { return #expect(Bool(false), "\(client.state)") }
    }
}

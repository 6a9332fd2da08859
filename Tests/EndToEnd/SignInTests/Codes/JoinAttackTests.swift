import JSON
import TestSupport
import Testing

@testable import ServerSupport

/// A thief has the access token of a new user, and a number of their own, whose codes they get.
@Suite("A thief of an access token who wants to move its user's accounts to their own by a join")
struct JoinAttackTests {
    private let fixture: CodeFixture
    private let server: InProcessServer
    private let thiefsNumber: String
    private let thief: TestResponse
    private let victim: TestResponse

    init() throws {
        fixture = try CodeFixture { variables in
            for name in ["ADDRESS", "ADDRESS_AND_NETWORK", "CLIENT", "NETWORK"] {
                variables["CODES_PER_\(name)"] = "1000/1h"
            }
            variables["PUBLIC_URL"] = WebSignInFixture.origin
        }
        server = try #require(fixture.server as? InProcessServer)
        thiefsNumber = fixture.newNumber()
        thief = try fixture.logIn(phone: thiefsNumber)
        victim = try fixture.logIn(fixture.code("victim@example.com", channel: "email"))
    }

    private func join(_ members: JSONObject, by login: TestResponse? = nil) throws -> String {
        var members = members
        members["onTaken"] = "join"
        return fixture.refusal(try fixture.bind(fixture.code(thiefsNumber), to: login ?? victim, members))
    }

    private func expectUnmoved() throws {
        #expect(try server.me(victim.accessToken)["id"] == .string(victim.userID))
        #expect(try fixture.logIn(fixture.code("victim@example.com", channel: "email")).userID == victim.userID)
    }

    @Test("has no refresh token, or one that is another's, of another kind, or no token: nothing moves")
    func otherTokens() throws {
        let taken = "409 account_already_linked identity"
        let invalid = "422 invalid_refresh_token"
        #expect(try join(["refreshToken": .null]) == taken)
        #expect(try join(["refreshToken": .string(thief.refreshToken)]) == invalid)
        #expect(try join(["refreshToken": .string(victim.accessToken)]) == invalid)
        #expect(try join(["refreshToken": "x"]) == invalid)
        #expect(try join(["refreshToken": ""]) == invalid)
        try expectUnmoved()
    }

    @Test("has the cookie of their own session, as a page: nothing moves")
    func cookie() throws {
        func join(_ cookie: String?) throws -> TestResponse {
            let code = try fixture.code(thiefsNumber)
            var request = TestRequest.post(
                "/api/users/me/accounts/phone",
                ["codeId": .string(code.id), "code": .string(code.text), "onTaken": "join", "session": "cookie"],
                bearer: victim.accessToken)
            request.headers += [("Origin", WebSignInFixture.origin), ("Sec-Fetch-Site", "same-origin")]
            if let cookie { request.headers.append(("Cookie", "__Host-gatehouse=\(cookie)")) }
            return server.send(request)
        }
        #expect(try fixture.refusal(join(thief.refreshToken)) == "422 invalid_refresh_token")
        #expect(try fixture.refusal(join(nil)) == "409 account_already_linked identity")
        #expect(try join(victim.refreshToken).userID == thief.userID, "the page of the user itself may join")
    }

    @Test("has a refresh token that the user has exchanged since: nothing moves, and the code is not used up")
    func superseded() throws {
        let next = server.send(.refresh(victim.refreshToken))
        let code = try fixture.code(thiefsNumber)
        let answer = try fixture.bind(
            code, to: next, ["onTaken": "join", "refreshToken": victim["refreshToken"] ?? .null])
        #expect(fixture.refusal(answer) == "422 invalid_refresh_token", "\(answer.json)")
        #expect(try server.me(next.accessToken)["id"] == .string(victim.userID))
        #expect(try fixture.bind(code, to: next, ["onTaken": "join"]).userID == thief.userID)
    }

    @Test("has a refresh token of the user's other session, or of one that has ended: nothing moves")
    func otherSession() throws {
        let second = try fixture.logIn(fixture.code("victim@example.com", channel: "email"))
        #expect(try join(["refreshToken": .string(second.refreshToken)]) == "422 invalid_refresh_token")
        #expect(server.send(.post("/api/auth/logout", ["refreshToken": .string(second.refreshToken)])).status == 204)
        #expect(try join(["refreshToken": .string(second.refreshToken)]) == "422 invalid_refresh_token")
        try expectUnmoved()
    }

    @Test("sends the code of a mail address of theirs instead of a number: nothing moves")
    func byMail() throws {
        let mail = "thief@example.com"
        _ = try fixture.bind(fixture.code(mail, channel: "email"), to: thief, channel: "email")
        let victim = try fixture.logIn(phone: fixture.newNumber())
        let answer = try fixture.bind(
            fixture.code(mail, channel: "email"), to: victim, channel: "email",
            ["onTaken": "join", "refreshToken": .null])
        #expect(fixture.refusal(answer) == "409 account_already_linked identity", "\(answer.json)")
    }
}

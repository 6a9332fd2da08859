import FakeApple
import JSON
import Testing

@testable import ServerSupport

@Suite("Verified email addresses")
struct EmailVerifiedTests {
    private static let path = "/api/auth/apple"

    private func claims(_ email: String?, _ verified: JSONValue?) -> JSONObject {
        ["email": email.map(JSONValue.string) ?? .null, "email_verified": verified ?? .null]
    }

    private func login(_ server: any TestServer, _ subject: String, _ email: String?, _ verified: JSONValue?)
        throws -> TestResponse
    {
        let response = try server.send(
            .post(Self.path, server.apple.login(subject) { $0.claims = claims(email, verified) }))
        #expect(response.status == 200)
        return response
    }

    private func accounts(_ server: any TestServer, _ login: TestResponse) throws -> [JSONValue?] {
        let response = try server.send(.get("/api/users/me/accounts", bearer: login.accessToken))
        return response["accounts"]?.array?.map { $0.object?["emailVerified"] } ?? []
    }

    private func verified(_ response: TestResponse) -> JSONValue? { response["user"]?.object?["emailVerified"] }

    @Test(
        "The value is Apple's claim, as a boolean or as a string, and false without one",
        arguments: TestEnvironment.allCases)
    func claim(_ environment: TestEnvironment) throws {
        let server = try SharedServers.standard(environment)
        let table: [(claim: JSONValue?, user: JSONValue, account: JSONValue)] = [
            (claim: true, user: true, account: true), (claim: "true", user: true, account: true),
            (claim: false, user: false, account: false), (claim: "false", user: false, account: false),
            (claim: nil, user: false, account: .null), (claim: "yes", user: false, account: .null),
            (claim: 1, user: false, account: .null),
        ]
        for (number, row) in table.enumerated() {
            let login = try login(
                server, "verified-\(environment)-\(number)", "v\(number)-\(environment)@example.com", row.claim)
            #expect(verified(login) == row.user, "\(row)")
            #expect(try server.me(login.accessToken)["emailVerified"] == row.user, "\(row)")
            #expect(try accounts(server, login) == [row.account], "\(row)")
            let export = try server.send(.get("/api/users/me/export", bearer: login.accessToken))
            #expect(export["user"]?.object?["emailVerified"] == row.user, "\(row)")
            #expect(export["accounts"]?.array?.first?.object?["emailVerified"] == row.account, "\(row)")
        }
    }

    @Test("The value is false without an email and for development logins")
    func none() throws {
        let server = try InProcessServer()
        #expect(verified(try login(server, "without-address", nil, true)) == false)
        let dev = try server.devLogin("dev@example.com")
        #expect(verified(dev) == false)
        #expect(try accounts(server, dev) == [.null])
    }

    private func email(_ response: TestResponse) -> JSONValue? { response["user"]?.object?["email"] }

    @Test("A later login updates the value and the address with it")
    func later() throws {
        let server = try InProcessServer()
        #expect(verified(try login(server, "ann", "ann@example.com", nil)) == false)
        let other = try login(server, "ann", "other@example.com", true)
        #expect(email(other) == "other@example.com" && verified(other) == true)
        let me = try server.me(other.accessToken)
        #expect(me["email"] == "other@example.com" && me["emailVerified"] == true)
        let second = try login(server, "ann", "ANN@example.com", true)
        #expect(verified(second) == true)
        #expect(
            verified(try login(server, "ann", "ann@example.com", nil)) == true,
            "Apple has said nothing else since")
        #expect(verified(try login(server, "ann", "ann@example.com", false)) == false)
        #expect(
            try accounts(server, try login(server, "ann", "new@example.com", nil)) == [.null],
            "of the new address")
    }

    @Test("The user and the account have the same address after each login, and none erases it")
    func sameAddress() throws {
        let server = try InProcessServer()
        for given in ["a@example.com", "b@example.com", nil, "", "c@example.com", "C@example.com"] as [String?] {
            let login = try login(server, "eve", given, true)
            let me = try server.me(login.accessToken)
            let accounts = server.send(.get("/api/users/me/accounts", bearer: login.accessToken))
            #expect(me["email"] == accounts["accounts"]?.array?.first?.object?["email"])
            #expect(me["email"]?.string == (given?.isEmpty == false ? given : "b@example.com"))
        }
        var body = server.apple.login("eve") { $0.claims = ["email": nil] }
        body["email"] = "hint@example.com"
        let hinted = server.send(.post(Self.path, body))
        #expect(email(hinted) == "C@example.com", "an address of the body is a hint only")
    }

    @Test("Addresses that only look alike are different addresses")
    func lookalike() throws {
        let server = try InProcessServer()
        for (number, (own, other)) in [
            // The Kelvin sign, whose lower case is k, and an e with a combining accent.
            ("kate@example.com", "\u{212A}ate@example.com"), ("\u{E9}mile@example.com", "e\u{301}mile@example.com"),
        ].enumerated() {
            let login = try server.devLogin(own)
            let body = server.apple.login("lookalike-\(number)") { $0.claims = claims(other, true) }
            let response = server.send(.post("/api/users/me/accounts/apple", body, bearer: login.accessToken))
            #expect(response.status == 200)
            #expect(try server.me(login.accessToken)["emailVerified"] == false)
        }
    }

    @Test("Linking an account with the same address updates the value")
    func linked() throws {
        let server = try InProcessServer()
        for (name, expected) in [("same", true), ("else", false)] {
            let login = try server.devLogin("same@\(name).example.com")
            let body = server.apple.login(name) { $0.claims = claims("same@same.example.com", true) }
            let response = server.send(.post("/api/users/me/accounts/apple", body, bearer: login.accessToken))
            #expect(response.status == 200)
            #expect(try server.me(login.accessToken)["emailVerified"] == .bool(expected))
            #expect(try accounts(server, login) == [.null, true])
        }
    }
}

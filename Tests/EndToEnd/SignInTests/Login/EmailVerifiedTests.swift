import JSON
import StandIn
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

    @Test("The value is Apple's claim, as a boolean or as a string, and false without one")
    func claim() throws {
        let server = try SharedServers.standard(.handler)
        let table: [(claim: JSONValue?, user: JSONValue, account: JSONValue)] = [
            (claim: true, user: true, account: true), (claim: "true", user: true, account: true),
            (claim: false, user: false, account: false), (claim: "false", user: false, account: false),
            (claim: nil, user: false, account: .null), (claim: "yes", user: false, account: .null),
            (claim: 1, user: false, account: .null),
        ]
        for (number, row) in table.enumerated() {
            let login = try login(server, "verified-\(number)", "v\(number)@example.com", row.claim)
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
}

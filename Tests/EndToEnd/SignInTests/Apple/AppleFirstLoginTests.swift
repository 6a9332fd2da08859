import JSON
import StandIn
import Testing

@testable import ServerSupport

/// Apple sends the name and the email of a user once.
@Suite("The first login with Apple")
struct AppleFirstLoginTests {
    private static let path = "/api/auth/apple"

    private func logIn(
        _ server: any TestServer, _ subject: String, _ adjust: (inout MintOrder) -> Void = { _ in }
    ) throws -> JSONObject {
        let response = try server.send(.post(Self.path, server.apple.login(subject, adjust)))
        #expect(response.status == 200)
        return response["user"]?.object ?? [:]
    }

    @Test(
        "The nickname has the name order of the user's script",
        arguments: [
            ("さくら", "田中", "田中さくら"), ("Ming", "王", "Ming 王"), ("Zoë", "O’Neill-Müller", "Zoë O’Neill-Müller"),
            ("👩🏽‍🚀", "王", "👩🏽‍🚀 王"), (nil, nil, nil),
        ] as [(String?, String?, String?)])
    func names(given: String?, family: String?, expected: String?) throws {
        let server = try SharedServers.standard(.handler)
        let subject = "001.name-\(given ?? "-")-\(family ?? "-")"
        let user = try logIn(server, subject) { ($0.givenName, $0.familyName) = (given, family) }
        #expect(user["nickname"]?.string == expected)
        #expect(try logIn(server, subject)["nickname"]?.string == expected, "Apple sends the name only once")
    }

    @Test("Name and email are kept when later logins have none")
    func laterLogins() throws {
        let server = try SharedServers.standard(.handler)
        let subject = "001.kept"
        let first = try logIn(server, subject) {
            $0.email = "kept@example.com"
            ($0.givenName, $0.familyName) = ("小明", "王")
        }
        #expect(first["email"]?.string == "kept@example.com")
        #expect(try logIn(server, subject) { $0.claims = ["email": nil, "email_verified": nil] } == first)
        #expect(try logIn(server, subject) { $0.claims = ["email": ""] } == first)
    }

    @Test("A later login fills in a missing name or email, and overwrites no name")
    func later() throws {
        let server = try SharedServers.standard(.handler)
        let bare: JSONObject = ["email": nil]
        let empty = try logIn(server, "001.later") { $0.claims = bare }
        #expect(empty["email"]?.isNull == true)
        #expect(empty["nickname"]?.isNull == true)
        let named = try logIn(server, "001.later") {
            $0.claims = bare
            $0.givenName = "Ada"
        }
        #expect(named["nickname"] == "Ada")
        #expect(named["email"]?.isNull == true)
        let complete = try logIn(server, "001.later") {
            $0.email = "later@example.com"
            $0.givenName = "Eve"
        }
        #expect(complete["email"] == "later@example.com")
        #expect(complete["nickname"] == "Ada")
        #expect(complete["id"] == empty["id"])
    }

    @Test("The nickname in the request takes precedence over the name from Apple")
    func nickname() throws {
        let server = try SharedServers.standard(.handler)
        var body = server.apple.login("001.chosen") { $0.givenName = "Ada" }
        body["nickname"] = "Countess"
        #expect(try server.send(.post(Self.path, body))["user"]?.object?["nickname"] == "Countess")
    }

    @Test("An email in the request body is a hint: it is not stored as email and matches no user")
    func emailHint() throws {
        let server = try SharedServers.standard(.handler)
        let known = try server.devLogin("hinted@example.com")
        var body = server.apple.login("001.hint") { $0.claims = ["email": nil] }
        body["email"] = "hinted@example.com"
        let response = try server.send(.post(Self.path, body))
        #expect(response["isNewUser"] == true)
        #expect(response.userID != known.userID)
        #expect(response["user"]?.object?["email"]?.isNull == true)
    }
}

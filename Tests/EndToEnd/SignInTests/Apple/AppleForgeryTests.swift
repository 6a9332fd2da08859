import FakeApple
import JSON
import Testing

@testable import ServerSupport

@Suite("Forged identity tokens")
struct AppleForgeryTests {
    private static let path = "/api/auth/apple"

    @Test(
        "A forged token is refused with its reason, creates no user and causes no extra key fetch",
        arguments: ForgedLoginTable.all)
    func refused(_ table: ForgedLoginTable) throws {
        let server = try InProcessServer { $0["APPLE_NONCE"] = "required" }
        let builder = try IdentityTokenBuilder(server.apple, subject: "001.genuine")
        #expect(server.send(.post(Self.path, builder.body)).status == 200)
        // After the cooldown, an unknown key may cause a fetch.
        server.advanceClock(by: .seconds(31))
        let (fetches, rows) = (server.apple.fetches, try TableRowCounts.read(from: server.testDatabase))
        for row in try table.rows(try IdentityTokenBuilder(server.apple)) {
            let response = server.send(.post(Self.path, row.body))
            let verdict = [response.code, response["reason"]?.string].compactMap { $0 }.joined(separator: " ")
            #expect(response.status == 401, "\(row.name)")
            #expect(verdict == "invalid_apple_token " + row.reason, "\(row.name)")
        }
        #expect(try TableRowCounts.read(from: server.testDatabase) == rows)
        #expect(server.apple.fetches == fetches + table.keyFetches)
        #expect(
            server.send(.post(Self.path, try IdentityTokenBuilder(server.apple).body))["isNewUser"] == true)
    }

    @Test("A token with a NUL byte is an invalid request and causes no key fetch")
    func nulByte() throws {
        let server = try InProcessServer()
        let builder = try IdentityTokenBuilder(server.apple)
        for token in [builder.token + "\0", "\0" + builder.token, builder.input + "\0." + builder.parts[2]] {
            var body = builder.body
            body["identityToken"] = .string(token)
            let response = server.send(.post(Self.path, body))
            #expect(response.status == 400)
            #expect(response.code == "invalid_request")
        }
        #expect(server.apple.fetches == 0)
    }

    @Test("The tables contain more than 500 forged logins")
    func tableSize() throws {
        let builder = try IdentityTokenBuilder(FakeAppleIssuer())
        let count = try ForgedLoginTable.all.map { try $0.rows(builder).count }.reduce(0, +)
        #expect(count > 500)
    }

    @Test(
        "A malformed email claim is ignored, and the login succeeds",
        arguments: [
            .null, 1, 1.5, true, false, "", [], ["a@example.com"], [:], .string(String(repeating: "e", count: 3000)),
        ] as [JSONValue])
    func malformedEmail(email: JSONValue) throws {
        let server = try SharedServers.standard(.handler)
        let login = server.apple.login("001.email-\(email.description.prefix(20))") {
            $0.claims = ["email": email]
        }
        let response = try server.send(.post(Self.path, login))
        #expect(response.status == 200)
        #expect(response["user"]?.object?["email"]?.isNull == true)
    }

    @Test(
        "Claims that do not identify the user are ignored",
        arguments: ["email_verified", "is_private_email", "real_user_status", "auth_time", "at_hash", "org_id", "jti"])
    func ignoredClaims(claim: String) throws {
        let server = try SharedServers.standard(.handler)
        for value in [.null, -1, 1e300, "x", [], [:], true] as [JSONValue] {
            let login = server.apple.login("001.unread") { $0.claims = [claim: value] }
            #expect(try server.send(.post(Self.path, login)).status == 200, "\(value)")
        }
    }

    @Test(
        "Keys inside the token header are ignored", arguments: ["jwk", "jku", "x5u", "x5c", "x5t", "cty"])
    func embeddedKeys(member: String) throws {
        let server = try SharedServers.standard(.handler)
        for value in [.null, 1, "https://evil.example", [], [:]] as [JSONValue] {
            let login = server.apple.login("001.embedded") { $0.header = [member: value] }
            #expect(try server.send(.post(Self.path, login)).status == 200, "\(value)")
        }
    }
}

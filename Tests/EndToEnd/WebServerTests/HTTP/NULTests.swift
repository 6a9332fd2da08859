import JSON
import StandIn
import Testing

@testable import ServerSupport

/// PostgreSQL cannot store a NUL. Where a client sends one, both databases have to give the same answer.
@Suite("Texts with a NUL")
struct NULTests {
    @Test(
        "A member of a body with a NUL is refused and named",
        arguments: [
            ("POST", "/api/auth/apple", "identityToken"), ("POST", "/api/auth/apple", "authorizationCode"),
            ("POST", "/api/auth/apple", "userIdentifier"), ("POST", "/api/auth/apple", "email"),
            ("POST", "/api/auth/apple", "fullName.givenName"), ("POST", "/api/auth/apple", "fullName.familyName"),
            ("POST", "/api/auth/apple", "nickname"), ("POST", "/api/auth/apple", "nonce"),
            ("POST", "/api/auth/apple/notifications", "payload"), ("POST", "/api/auth/dev-login", "email"),
            ("POST", "/api/auth/dev-login", "devSecret"), ("POST", "/api/auth/dev-login", "nickname"),
            ("POST", "/api/auth/refresh", "refreshToken"), ("POST", "/api/auth/logout", "refreshToken"),
            ("PATCH", "/api/users/me", "nickname"), ("PATCH", "/api/users/me", "avatarUrl"),
            ("DELETE", "/api/users/me", "authorizationCode"), ("POST", "/api/users/me/accounts/apple", "nonce"),
        ])
    func members(method: String, path: String, member: String) throws {
        let server = try SharedServers.standard(.handler)
        let token = try server.devLogin("nul@example.com").accessToken
        let names = member.split(separator: ".").map(String.init)
        for value in ["\0", "\0x", "x\0y@example.com", "https://example.com/\0"] {
            var body = path.hasSuffix("/apple") ? server.apple.login("001.nul") : [:]
            body[names[0]] = names.count == 1 ? .string(value) : .object([names[1]: .string(value)])
            var request = TestRequest.post(path, body, bearer: path.hasPrefix("/api/users") ? token : nil)
            request.method = method
            let response = try server.send(request)
            #expect(response.status == 400 && response.code == "invalid_request", "\(response)")
            #expect(response["errors"]?.array?.compactMap { $0.object?["field"]?.string }.contains(member) == true)
        }
        #expect(try server.me(token).status == 200)
    }

    @Test(
        "A NUL in a claim of an identity token is not stored",
        arguments: [
            ("sub", 401), ("email", 200), ("transfer_sub", 200), ("jti", 200), ("org_id", 200), ("aud", 401),
            ("iss", 401), ("nonce", 401), ("email_verified", 200), ("real_user_status", 200),
        ])
    func claims(claim: String, status: Int) throws {
        let server = try SharedServers.standard(.handler)
        for value in ["\0", "\0x", "x\0y@example.com"] {
            let login = server.apple.login("001.nul-\(claim)") { $0.claims = [claim: .string(value)] }
            // The other members repeat some of the claims.
            let token = try #require(login["identityToken"])
            let response = try server.send(.post("/api/auth/apple", ["identityToken": token]))
            #expect(response.status == status, "\(claim): \(response)")
            guard status == 200 else { continue }
            let export = try server.send(.get("/api/users/me/export", bearer: response.accessToken))
            #expect(export.status == 200)
            #expect(!String(decoding: export.body, as: UTF8.self).contains("\\u0000"))
        }
    }
}

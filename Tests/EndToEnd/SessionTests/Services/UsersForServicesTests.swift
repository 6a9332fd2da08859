import JSON
import StoreSupport
import TestSupport
import Testing

@testable import ServerSupport

/// What services of the operator learn about users.
@Suite("Users for services")
struct UsersForServicesTests {
    private static let environments = [TestEnvironment.handler, .nginx]

    private func ask(
        _ server: any TestServer, _ path: String, by token: String? = ServiceFixture.token
    ) throws -> TestResponse {
        try server.send(.get(path, bearer: token))
    }

    @Test("A user has the members that the user sees, and what is known of the last login", arguments: environments)
    func user(_ environment: TestEnvironment) throws {
        let server = try ServiceServers.standard(environment)
        let login = try server.devLogin("service-\(environment)@example.com", nickname: "Ada")
        let response = try ask(server, "/users/" + login.userID)
        #expect(response.status == 200)
        #expect(response.header("cache-control") == "no-store")
        let own = login["user"]?.object ?? [:]
        for name in ["id", "email", "emailVerified", "phone", "nickname", "avatarUrl", "role", "status"] {
            #expect(response[name] != nil && response[name] == own[name], "\(name)")
        }
        #expect(response["phoneVerified"] == false)
        #expect(
            response["lastLoginAt"] == response["createdAt"] && response["createdAt"]?.string?.hasSuffix("Z") == true)
        let expected = [
            "id", "email", "emailVerified", "phone", "phoneVerified", "nickname", "avatarUrl", "role", "status",
            "guest", "attributes", "attributesVersion", "lastLoginAt", "createdAt", "updatedAt",
        ]
        #expect(response.json.names == expected)
        var head = TestRequest.get("/users/" + login.userID, bearer: ServiceFixture.token)
        head.method = "HEAD"
        let headers = try server.send(head)
        #expect(headers.status == 200 && headers.body.isEmpty)
    }

    @Test("A change is seen by the next request; a deleted user is one without personal data")
    func changes() throws {
        let server = try ServiceServers.handler.get()
        let login = try server.devLogin("changing@example.com", nickname: "Before")
        let path = "/users/" + login.userID
        let before = try ask(server, path)
        server.advanceClock(by: .seconds(2))
        _ = server.send(.patchUser("After", bearer: login.accessToken))
        let changed = try ask(server, path)
        #expect(changed["nickname"] == "After" && changed["updatedAt"] != before["updatedAt"])
        #expect(server.send(.delete("/api/users/me", bearer: login.accessToken)).status == 204)
        let deleted = try ask(server, path)
        #expect(deleted.status == 200 && deleted["status"] == "DELETED")
        for name in ["email", "phone", "nickname", "avatarUrl", "lastLoginAt"] {
            #expect(deleted[name] == .null, "\(name)")
        }
        #expect(deleted["emailVerified"] == false && deleted["phoneVerified"] == false)
    }

    @Test("Several users come in the order of the ids, each once; unknown ids are left out", arguments: environments)
    func several(_ environment: TestEnvironment) throws {
        let server = try ServiceServers.standard(environment)
        let ids = try (0..<3).map { try server.devLogin("several-\($0)-\(environment)@example.com").userID }
        let asked = [ids[2], "user_unknown", ids[0], "", "%00", "a%20b%2B", ids[2], ids[1]]
        let response = try ask(server, "/users?" + asked.map { "id=" + $0 }.joined(separator: "&") + "&other=1")
        #expect(response.status == 200)
        #expect(response["users"]?.array?.map { $0.object?["id"]?.string } == [ids[2], ids[0], ids[1]])
        let one = try ask(server, "/users/" + ids[1])
        #expect(response["users"]?.array?.last?.object == one.json)
        #expect(try ask(server, "/users?id=user_unknown")["users"]?.array == [])
    }

    @Test("A hundred ids are answered, and more or none are refused", arguments: environments)
    func limits(_ environment: TestEnvironment) throws {
        let server = try ServiceServers.standard(environment)
        let id = try server.devLogin("hundred-\(environment)@example.com").userID
        func path(_ count: Int) -> String {
            let unknown = (0..<(count - 1)).map { "id=user_01J" + String(repeating: "Z", count: 20) + "\(100 + $0)" }
            return "/users?" + (unknown + ["id=" + id]).joined(separator: "&")
        }
        let response = try ask(server, path(100))
        #expect(response.status == 200 && response["users"]?.array?.count == 1)
        for path in [path(101), "/users", "/users?ID=" + id] {
            let refused = try ask(server, path)
            #expect(refused.status == 400 && refused.code == "invalid_request")
            #expect(refused["errors"]?.array?.first?.object?["field"] == "id")
        }
    }

    @Test(
        "An unknown id is 404, whatever it is; nginx itself refuses one with a NUL",
        arguments: ["user_01J", "x", "%00", "a%2Fb", "..%2Fme", "%C3%A4", "sess_01M7YNB6GPN9D4E3E8TEYJ9R7D"])
    func unknown(_ id: String) throws {
        for environment in Self.environments where environment == .nginx || !id.contains("%") {
            let response = try ask(ServiceServers.standard(environment), "/users/" + id)
            #expect(response.status == (id == "%00" ? 400 : 404), "\(id)")
        }
    }

    @Test("Without a right service token nothing is answered, and the challenge says why", arguments: environments)
    func refused(_ environment: TestEnvironment) throws {
        let server = try ServiceServers.standard(environment)
        let login = try server.devLogin("guessed-\(environment)@example.com")
        let right = ServiceFixture.token
        let wrong = [
            login.accessToken, login.refreshToken, String(right.dropLast()), right + "x", right.lowercased(),
            "knowledge-base", ServiceFixture.setting.split(separator: "\n").last.map(String.init) ?? "",
        ]
        for path in ["/users/" + login.userID, "/users?id=" + login.userID, "/users/unknown", "/users"] {
            let missing = try ask(server, path, by: nil)
            #expect(missing.status == 401 && missing.code == "invalid_service_token")
            #expect(missing.header("www-authenticate") == "Bearer")
            for token in wrong {
                let response = try ask(server, path, by: token)
                #expect(response.status == 401 && response.code == "invalid_service_token", "\(path)")
                #expect(
                    response.header("www-authenticate")
                        == #"Bearer error="invalid_token", error_description="invalid_service_token""#)
            }
            var proven = TestRequest.get(path)
            proven.headers = [("Authorization", "DPoP " + right)]
            #expect(try server.send(proven).status == 401)
        }
        #expect(try ask(server, "/api/users/me").code == "invalid_access_token")
    }
}

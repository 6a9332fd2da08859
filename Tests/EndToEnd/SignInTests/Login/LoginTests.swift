import JSON
import StandIn
import Testing

@testable import ServerSupport

@Suite("Login")
struct LoginTests {
    @Test("The response has the tokens and the user, with null for missing values", arguments: TestEnvironment.allCases)
    func response(_ environment: TestEnvironment) throws {
        let response = try SharedServers.standard(environment).devLogin("Shape-\(environment)@Example.com")
        #expect(response.status == 200)
        #expect(response.header("content-type") == "application/json")
        #expect(response.header("cache-control") == "no-store")
        #expect(response["tokenType"]?.string == "Bearer")
        #expect(response["expiresIn"]?.integer == 900)
        #expect(response["isNewUser"]?.bool == true)
        let user = try #require(response["user"]?.object)
        #expect(
            user.names == [
                "id", "email", "emailVerified", "phone", "nickname", "avatarUrl", "role", "status",
                "onboardingCompleted", "guest",
            ])
        #expect(user["id"]?.string?.hasPrefix("user_") == true)
        #expect(user["email"]?.string == "shape-\(environment)@example.com".lowercased())
        #expect(user["nickname"]?.isNull == true)
        #expect(user["avatarUrl"]?.isNull == true)
        #expect(user["role"]?.string == "USER")
        #expect(user["status"]?.string == "ACTIVE")
        #expect(user["onboardingCompleted"]?.bool == false)
    }

    @Test("A second login finds the same user and is not a new user", arguments: TestEnvironment.allCases)
    func knownUser(_ environment: TestEnvironment) throws {
        let server = try SharedServers.standard(environment)
        let first = try server.devLogin("again-\(environment)@example.com", nickname: "测试用户")
        let second = try server.devLogin("AGAIN-\(environment)@example.com", nickname: "Another")
        #expect(second["isNewUser"]?.bool == false)
        #expect(second["user"] == first["user"])
        #expect(second["user"]?.object?["nickname"]?.string == "测试用户")
        #expect(second.refreshToken != first.refreshToken)
    }

    @Test(
        "A login with Apple takes the email from the token and the name from the body",
        arguments: TestEnvironment.allCases)
    func apple(_ environment: TestEnvironment) throws {
        let server = try SharedServers.standard(environment)
        var body = server.apple.login("001.apple-\(environment)") {
            $0.email = "proven-\(environment)@example.com"
            $0.givenName = "小明"
            $0.familyName = "王"
        }
        body["email"] = "claimed@example.com"
        let response = try server.send(.post("/api/auth/apple", body))
        #expect(response.status == 200)
        #expect(response["isNewUser"]?.bool == true)
        let user = response["user"]?.object
        #expect(user?["email"]?.string == "proven-\(environment)@example.com")
        #expect(user?["nickname"]?.string == "王小明")
        #expect(try server.me(response.accessToken).json == user)
    }

    @Test(
        "A name that cannot be displayed is cleaned or dropped, and the login succeeds",
        arguments: [
            ("Ada\nLovelace", "AdaLovelace"), ("\u{7}", nil), ("  Ada  ", "Ada"),
            (String(repeating: "あ", count: 100), String(repeating: "あ", count: 66)),
            (String(repeating: "a", count: 10_000), String(repeating: "a", count: 200)),
        ] as [(String, String?)])
    func strangeName(_ given: String, _ shown: String?) throws {
        let server = try SharedServers.standard(.handler)
        var body = server.apple.login("strange-\(given.utf8.count)")
        body["fullName"] = .object(["givenName": .string(given)])
        let login = try server.send(.post("/api/auth/apple", body))
        #expect(login.status == 200)
        #expect(login["user"]?.object?["nickname"]?.string == shown)
    }

    @Test("A wrong development secret is refused", arguments: TestEnvironment.allCases)
    func wrongSecret(_ environment: TestEnvironment) throws {
        let response = try SharedServers.standard(environment).send(
            .post("/api/auth/dev-login", ["email": "a@example.com", "devSecret": "guess"]))
        #expect(response.status == 401)
        #expect(response.code == "invalid_dev_secret")
    }

    @Test(
        "The development login needs every setting to allow it",
        arguments: [
            ["APP_ENV": "production"], ["DEV_LOGIN_SECRET": ""], ["NODE_ENV": "production"],
            ["NODE_ENV": "production "], ["NODE_ENV": "Production"],
        ] as [[String: String]])
    func disabledDevLogin(_ settings: [String: String]) throws {
        let server = try InProcessServer { $0.merge(settings) { _, new in new } }
        // An invalid body gets the same answer, so the disabled login reveals nothing.
        for response in [
            try server.devLogin("a@example.com"), server.send(.post("/api/auth/dev-login", ["email": 1])),
        ] {
            #expect(response.status == 403)
            #expect(response.code == "dev_login_disabled")
        }
    }
}

import FakeApple
import JSON
import Testing

@Suite("Signing in")
struct LoginTests {
    @Test("answers tokens and the user, absent values as null", arguments: World.allCases)
    func shape(_ world: World) throws {
        let answer = try Houses.of(world).devLogin("Shape-\(world)@Example.com")
        #expect(answer.status == 200)
        #expect(answer.header("content-type") == "application/json")
        #expect(answer.header("cache-control") == "no-store")
        #expect(answer["tokenType"]?.string == "Bearer")
        #expect(answer["expiresIn"]?.integer == 900)
        #expect(answer["isNewUser"]?.bool == true)
        let user = try #require(answer["user"]?.object)
        #expect(
            user.names == [
                "id", "email", "emailVerified", "nickname", "avatarUrl", "role", "status", "onboardingCompleted",
            ])
        #expect(user["id"]?.string?.hasPrefix("user_") == true)
        #expect(user["email"]?.string == "shape-\(world)@example.com".lowercased())
        #expect(user["nickname"]?.isNull == true)
        #expect(user["avatarUrl"]?.isNull == true)
        #expect(user["role"]?.string == "USER")
        #expect(user["status"]?.string == "ACTIVE")
        #expect(user["onboardingCompleted"]?.bool == false)
    }

    @Test("finds the same user again, and says that they are not new", arguments: World.allCases)
    func again(_ world: World) throws {
        let house = try Houses.of(world)
        let first = try house.devLogin("again-\(world)@example.com", nickname: "测试用户")
        let second = try house.devLogin("AGAIN-\(world)@example.com", nickname: "Another")
        #expect(second["isNewUser"]?.bool == false)
        #expect(second["user"] == first["user"])
        #expect(second["user"]?.object?["nickname"]?.string == "测试用户")
        #expect(second.refreshToken != first.refreshToken)
    }

    @Test("with Apple takes the email from the token, the name from the body", arguments: World.allCases)
    func apple(_ world: World) throws {
        let house = try Houses.of(world)
        var body = house.apple.login("001.apple-\(world)") {
            $0.email = "proven-\(world)@example.com"
            $0.givenName = "小明"
            $0.familyName = "王"
        }
        body["email"] = "claimed@example.com"
        let answer = try house.send(.post("/api/auth/apple", body))
        #expect(answer.status == 200)
        #expect(answer["isNewUser"]?.bool == true)
        let user = answer["user"]?.object
        #expect(user?["email"]?.string == "proven-\(world)@example.com")
        #expect(user?["nickname"]?.string == "王小明")
        #expect(try house.me(answer.accessToken).json == user)
    }

    @Test("with Apple needs nothing but the token, and no email", arguments: World.allCases)
    func appleWithoutEmail(_ world: World) throws {
        let house = try Houses.of(world)
        let full = house.apple.login("001.bare-\(world)") { $0.claims = ["email": nil, "email_verified": nil] }
        let answer = try house.send(.post("/api/auth/apple", ["identityToken": full["identityToken"] ?? .null]))
        #expect(answer.status == 200)
        #expect(answer["user"]?.object?["email"]?.isNull == true)
    }

    @Test(
        "with Apple is not lost for a name that cannot be shown as it is",
        arguments: [
            ("Ada\nLovelace", "AdaLovelace"), ("\u{7}", nil), ("  Ada  ", "Ada"),
            (String(repeating: "あ", count: 100), String(repeating: "あ", count: 66)),
            (String(repeating: "a", count: 10_000), String(repeating: "a", count: 200)),
        ] as [(String, String?)])
    func strangeName(_ given: String, _ shown: String?) throws {
        let house = try Houses.of(.handler)
        var body = house.apple.login("strange-\(given.utf8.count)")
        body["fullName"] = .object(["givenName": .string(given)])
        let login = try house.send(.post("/api/auth/apple", body))
        #expect(login.status == 200)
        #expect(login["user"]?.object?["nickname"]?.string == shown)
    }

    @Test("later fills what the first login left empty, and overwrites nothing", arguments: World.allCases)
    func fills(_ world: World) throws {
        let house = try Houses.of(world)
        let subject = "001.fills-\(world)"
        let bare = house.apple.login(subject) { $0.claims = ["email": nil] }
        _ = try house.send(.post("/api/auth/apple", bare))
        let named = house.apple.login(subject) {
            $0.email = "late-\(world)@example.com"
            $0.givenName = "Ada"
        }
        let filled = try house.send(.post("/api/auth/apple", named))["user"]?.object
        #expect(filled?["email"]?.string == "late-\(world)@example.com")
        #expect(filled?["nickname"]?.string == "Ada")
        let renamed = house.apple.login(subject) { $0.givenName = "Eve" }
        #expect(try house.send(.post("/api/auth/apple", renamed))["user"]?.object == filled)
    }

    @Test("never joins two accounts by their email", arguments: World.allCases)
    func noMerge(_ world: World) throws {
        let house = try Houses.of(world)
        let email = "shared-\(world)@example.com"
        let dev = try house.devLogin(email)
        let apple = try house.send(
            .post("/api/auth/apple", house.apple.login("001.merge-\(world)") { $0.email = email }))
        #expect(apple["isNewUser"]?.bool == true)
        #expect(apple["user"]?.object?["id"] != dev["user"]?.object?["id"])
    }

    @Test("with the wrong development secret is refused", arguments: World.allCases)
    func wrongSecret(_ world: World) throws {
        let answer = try Houses.of(world).send(
            .post("/api/auth/dev-login", ["email": "a@example.com", "devSecret": "guess"]))
        #expect(answer.status == 401)
        #expect(answer.code == "invalid_dev_secret")
    }

    @Test(
        "by the development secret is impossible unless everything says development",
        arguments: [
            ["APP_ENV": "production"], ["DEV_LOGIN_SECRET": ""], ["NODE_ENV": "production"],
            ["NODE_ENV": "production "], ["NODE_ENV": "Production"],
        ] as [[String: String]])
    func closedDoor(_ settings: [String: String]) throws {
        let house = try InProcessHouse { $0.merge(settings) { _, new in new } }
        // Also for a body that is no good: a closed door says nothing else.
        for answer in [try house.devLogin("a@example.com"), house.send(.post("/api/auth/dev-login", ["email": 1]))] {
            #expect(answer.status == 403)
            #expect(answer.code == "dev_login_disabled")
        }
    }
}

import FakeApple
import JOSE
import JSON
import SQLite
import TestSupport
import Testing

@Suite("The export of an account")
struct ExportTests {
    private func export(_ house: any House, _ login: Answer) throws -> Answer {
        try house.send(.get("/api/users/me/export", bearer: login.accessToken))
    }

    @Test("holds everything that is held about the user, and nothing about anybody else")
    func everything() throws {
        let world = try DeveloperHouse()
        let dev = try world.house.devLogin("dev@example.com", nickname: "Dev")
        _ = try world.house.devLogin("other@example.com")
        _ = try world.house.send(
            .post("/api/users/me/accounts/apple", world.apple.login("ann"), bearer: dev.accessToken))
        let apple = try world.signIn(world.apple.login("ann") { $0.email = "ann@example.com" })
        let answer = try export(world.house, apple)
        #expect(answer.status == 200)
        #expect(answer.header("cache-control") == "no-store")
        #expect(answer["user"]?.object?["nickname"] == "Dev")
        #expect(answer["user"]?.object?["email"] == "dev@example.com")
        let accounts = answer["accounts"]?.array?.compactMap(\.object) ?? []
        #expect(accounts.map { $0["provider"] } == ["DEV", "APPLE"])
        #expect(accounts.map { $0["email"] } == ["dev@example.com", "ann@example.com"])
        #expect(answer["sessions"]?.array?.count == 2)
        let kinds = answer["events"]?.array?.compactMap { $0.object?["kind"]?.string } ?? []
        #expect(Set(["login", "account_linked"]).isSubset(of: kinds), "\(kinds)")
        let text = String(decoding: answer.body, as: UTF8.self)
        #expect(text.contains("127.0.0.1") && text.contains("Tests"))
        #expect(!text.contains("other@example.com"))
    }

    @Test("holds what only a column says: a hint at an email, the status of a real user, the last login")
    func columns() throws {
        let world = try DeveloperHouse()
        var body = world.apple.login("ann")
        body["email"] = "hint@example.com"
        body["realUserStatus"] = 1
        let login = try world.signIn(body)
        let text = String(decoding: try export(world.house, login).body, as: UTF8.self)
        #expect(text.contains("hint@example.com"))
        #expect(text.contains(#""userIdentifier":"ann""#))
        #expect(text.contains(#""realUserStatus":null,"realUserStatusHint":1"#), "a client's word is not Apple's")
        let claimed = try world.signIn(world.apple.login("ann") { $0.claims = ["real_user_status": 2] })
        let later = String(decoding: try export(world.house, claimed).body, as: UTF8.self)
        #expect(later.contains(#""realUserStatus":2,"realUserStatusHint":1"#))
    }

    @Test("holds no token, no hash and nothing that is sealed")
    func nothingSecret() throws {
        let world = try DeveloperHouse()
        let login = try world.signInAndBeGranted("ann")
        let text = String(decoding: try export(world.house, login).body, as: UTF8.self)
        let database = try Connection(path: world.house.database, access: .readOnly)
        var blobs: [[UInt8]] = []
        for column in ["token_hash", "token_random"] {
            blobs += try database.all("SELECT \(column) FROM refresh_tokens") { $0.blob(0) }
        }
        blobs += try database.all("SELECT refresh_token FROM auth_accounts") { $0.blob(0) }
        #expect(blobs.count == 3)
        for blob in blobs {
            let digits = blob.map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined()
            #expect(!text.contains(Base64URL.encode(blob)) && !text.lowercased().contains(digits))
        }
        for secret in world.grantedTokens + [login.accessToken, login.refreshToken] { #expect(!text.contains(secret)) }
    }

    @Test("is for whoever is signed in")
    func nobody() throws {
        let answer = try Houses.of(.handler).send(.get("/api/users/me/export"))
        #expect(answer.status == 401)
    }
}

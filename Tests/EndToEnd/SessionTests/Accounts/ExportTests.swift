import JOSE
import JSON
import SQL
import StandIn
import StoreSupport
import TestSupport
import Testing

@testable import ServerSupport

@Suite("Account export")
struct ExportTests {
    private func export(_ server: any TestServer, _ login: TestResponse) throws -> TestResponse {
        try server.send(.get("/api/users/me/export", bearer: login.accessToken))
    }

    @Test("The export contains all data of the user and none of other users")
    func everything() throws {
        let fixture = try AppleDeveloperFixture()
        let dev = try fixture.server.devLogin("dev@example.com", nickname: "Dev")
        _ = try fixture.server.devLogin("other@example.com")
        _ = try fixture.server.send(
            .post("/api/users/me/accounts/apple", fixture.apple.login("ann"), bearer: dev.accessToken))
        let apple = try fixture.logIn(fixture.apple.login("ann") { $0.email = "ann@example.com" })
        let response = try export(fixture.server, apple)
        #expect(response.status == 200)
        #expect(response.header("cache-control") == "no-store")
        #expect(response["user"]?.object?["nickname"] == "Dev")
        #expect(response["user"]?.object?["email"] == "dev@example.com")
        let accounts = response["accounts"]?.array?.compactMap(\.object) ?? []
        #expect(accounts.map { $0["provider"] } == ["DEV", "APPLE"])
        #expect(accounts.map { $0["email"] } == ["dev@example.com", "ann@example.com"])
        #expect(response["sessions"]?.array?.count == 2)
        let kinds = response["events"]?.array?.compactMap { $0.object?["kind"]?.string } ?? []
        #expect(Set(["login", "account_linked"]).isSubset(of: kinds), "\(kinds)")
        let text = String(decoding: response.body, as: UTF8.self)
        #expect(text.contains("127.0.0.1") && text.contains("Tests"))
        #expect(!text.contains("other@example.com"))
    }

    @Test("The export contains the email hint, the real user status and the last login")
    func columns() throws {
        let fixture = try AppleDeveloperFixture()
        var body = fixture.apple.login("ann")
        body["email"] = "hint@example.com"
        body["realUserStatus"] = 1
        let login = try fixture.logIn(body)
        let text = String(decoding: try export(fixture.server, login).body, as: UTF8.self)
        #expect(text.contains("hint@example.com"))
        #expect(text.contains(#""userIdentifier":"ann""#))
        #expect(
            text.contains(#""realUserStatus":null,"realUserStatusHint":1"#), "the value from the client is only a hint")
        let claimed = try fixture.logIn(fixture.apple.login("ann") { $0.claims = ["real_user_status": 2] })
        let later = String(decoding: try export(fixture.server, claimed).body, as: UTF8.self)
        #expect(later.contains(#""realUserStatus":2,"realUserStatusHint":1"#))
    }

    @Test("The export contains no token, no hash and no encrypted value")
    func nothingSecret() throws {
        let fixture = try AppleDeveloperFixture()
        let login = try fixture.logInAndAwaitGrant("ann")
        let text = String(decoding: try export(fixture.server, login).body, as: UTF8.self)
        let database = try fixture.server.testDatabase.connection()
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
        for secret in fixture.grantedTokens + [login.accessToken, login.refreshToken] {
            #expect(!text.contains(secret))
        }
    }
}

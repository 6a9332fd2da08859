import JSON
import Testing

@testable import FakeApple

@Suite("The request log of the fake Apple")
struct RequestLogTests {
    private let apple: FakeAppleFixture

    init() throws {
        apple = try FakeAppleFixture()
    }

    private static let form = "application/x-www-form-urlencoded"

    @Test(
        "nothing of a body is logged, whatever its form",
        arguments: [
            #"{"sub":"bob","email":"bob@example.com","nonce":"secret-nonce"}"#, "bob@example.com=1",
            "bob@example.com=1&bob@example.com=2", "client_id=bob@example.com", "grant_type=bob@example.com",
            "client_id=bob@example.com&client_secret=secret-a.secret-b.secret-c&grant_type=secret-g&code=secret-d",
            "client_id=\(FakeAppleFixture.app)&client_secret=secret-a.secret-b.secret-c&grant_type=x&token=secret-d",
            "client_id=\(FakeAppleFixture.app)&client_secret=secret&token=secret-t&token_type_hint=secret-h",
            "token=bob@example.com&token=secret", "secret-%ZZ=bob@example.com", "secret-text",
        ], ["/mint", "/notify", "/faults", "/auth/token", "/auth/revoke", "/auth/keys"])
    func bodies(body: String, path: String) throws {
        _ = apple.reply("POST", path + "?secret-query", body, type: Self.form)
        let line = try #require(apple.logged.last)
        #expect(apple.logged.count == 1)
        #expect(!line.contains("bob") && !line.contains("secret-"), "\(line)")
        let listed = JSONValue.array(apple.service.requests.map { .object($0.json) }).description
        #expect(!listed.contains("bob") && !listed.contains("secret-"), "\(listed)")
    }

    @Test("the names of known fields, a known app and a known grant type are logged")
    func known() throws {
        let body = "client_id=\(FakeAppleFixture.app)&grant_type=refresh_token&refresh_token=r&user=u&token_type_hint=h"
        _ = apple.reply("POST", "/auth/token", body, type: Self.form)
        let record = try #require(apple.service.requests.last)
        #expect(record.fields == ["client_id", "grant_type", "refresh_token", "token_type_hint"])
        #expect(record.clientID == FakeAppleFixture.app && record.grantType == "refresh_token")
        #expect(record.reason == "client_secret is missing")
    }
}

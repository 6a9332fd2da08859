import DevelopmentHTTP
import Foundation
import JOSE
import JSON
import TestSupport
import Testing

@testable import StandIn

@Suite("Revoking a token")
struct RevokeEndpointTests {
    private var apple: FakeAppleFixture

    init() throws {
        apple = try FakeAppleFixture()
    }

    private func tokens(_ subject: String = "ann", app: String = FakeAppleFixture.app) throws -> (
        refresh: String, access: String
    ) {
        let json = try apple.exchange(try apple.code(for: subject, app: app), app: app).json
        return (try #require(json?["refresh_token"]?.string), try #require(json?["access_token"]?.string))
    }

    private func isAlive(_ token: String, app: String = FakeAppleFixture.app) throws -> Bool {
        try apple.renew(token, app: app).status == "200 OK"
    }

    @Test(
        "answers 200 with an empty body, also of a revoked or unknown token, and the token is revoked",
        arguments: [nil, "refresh_token", "access_token", "x"])
    func refreshToken(hint: String?) throws {
        let token = try tokens().refresh
        for token in [token, token, "unknown"] {
            let answer = try apple.post(
                "/auth/revoke",
                [
                    "client_id": FakeAppleFixture.app, "client_secret": try apple.secret(), "token": token,
                    "token_type_hint": hint,
                ])
            #expect(answer.status == "200 OK" && answer.body.isEmpty)
        }
        #expect(try apple.renew(token).json?["error"] == "invalid_grant")
    }

    @Test("by an access token also revokes the refresh token")
    func accessToken() throws {
        let (refresh, access) = try tokens()
        let later = try #require(try apple.renew(refresh).json?["access_token"]?.string)
        #expect(try apple.revoke(later).status == "200 OK")
        #expect(try !isAlive(refresh))
        let other = try tokens()
        #expect(try apple.revoke(access).status == "200 OK")
        #expect(try isAlive(other.refresh))
    }

    @Test("ends only this user's authorisation of the app")
    func scope() throws {
        let (first, second) = (try tokens(), try tokens())
        let (other, elsewhere) = (try tokens("bob"), try tokens("ann", app: FakeAppleFixture.otherApp))
        #expect(try apple.revoke(first.refresh).status == "200 OK")
        #expect(try !isAlive(second.refresh))
        #expect(try isAlive(other.refresh))
        #expect(try isAlive(elsewhere.refresh, app: FakeAppleFixture.otherApp))
        #expect(
            apple.service.authorisations == [
                Authorisation(subject: "bob", clientID: FakeAppleFixture.app),
                Authorisation(subject: "ann", clientID: FakeAppleFixture.otherApp),
            ])
    }

    @Test("of another app's token is refused, and does not revoke it")
    func foreign() throws {
        let token = try tokens().refresh
        #expect(try apple.revoke(token, app: FakeAppleFixture.otherApp).json?["error"] == "invalid_grant")
        #expect(try isAlive(token))
    }

    @Test("grants, revocations and the developer's key survive a restart, in private files")
    mutating func restart() throws {
        let (dead, alive) = (try tokens("dead"), try tokens("alive"))
        let key = try apple.developerKey()
        #expect(key.algorithm == .ES256)
        #expect(try apple.revoke(dead.refresh).status == "200 OK")
        try apple.restart()
        #expect(try !isAlive(dead.refresh))
        #expect(try isAlive(alive.refresh))
        #expect(try apple.developerKey().thumbprint == key.thumbprint)
        for name in ["grants.json", "AuthKey_DEVELOPER1.p8"] {
            #expect(try Text.mode(of: apple.folder.file("apple/" + name)) == 0o600)
        }
        #expect(try apple.revoke(alive.access).status == "200 OK")
        try apple.restart()
        #expect(try !isAlive(alive.refresh))
    }

    @Test("an invalid file of grants is refused", arguments: ["", "[]", #"{"grants":[{}]}"#])
    mutating func foreignFile(text: String) throws {
        try text.write(toFile: apple.folder.file("apple/grants.json"), atomically: true, encoding: .utf8)
        #expect(throws: GrantStore.Unreadable.self) { try apple.restart() }
    }
}

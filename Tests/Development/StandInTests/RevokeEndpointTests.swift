import DevelopmentHTTP
import Foundation
import JOSE
import JSON
import TestSupport
import Testing

@testable import StandIn

@Suite("Revoking a token")
struct RevokeEndpointTests {
    private var standIn: StandInFixture

    init() throws {
        standIn = try StandInFixture()
    }

    private func tokens(_ subject: String = "ann", app: String = StandInFixture.app) throws -> (
        refresh: String, access: String
    ) {
        let json = try standIn.exchange(try standIn.code(for: subject, app: app), app: app).json
        return (try #require(json?["refresh_token"]?.string), try #require(json?["access_token"]?.string))
    }

    private func isAlive(_ token: String, app: String = StandInFixture.app) throws -> Bool {
        try standIn.renew(token, app: app).status == "200 OK"
    }

    @Test(
        "answers 200 with an empty body, also of a revoked or unknown token, and the token is revoked",
        arguments: [nil, "refresh_token", "access_token", "x"])
    func refreshToken(hint: String?) throws {
        let token = try tokens().refresh
        for token in [token, token, "unknown"] {
            let answer = try standIn.post(
                "/auth/revoke",
                [
                    "client_id": StandInFixture.app, "client_secret": try standIn.secret(), "token": token,
                    "token_type_hint": hint,
                ])
            #expect(answer.status == "200 OK" && answer.body.isEmpty)
        }
        #expect(try standIn.renew(token).json?["error"] == "invalid_grant")
    }

    @Test("by an access token also revokes the refresh token")
    func accessToken() throws {
        let (refresh, access) = try tokens()
        let later = try #require(try standIn.renew(refresh).json?["access_token"]?.string)
        #expect(try standIn.revoke(later).status == "200 OK")
        #expect(try !isAlive(refresh))
        let other = try tokens()
        #expect(try standIn.revoke(access).status == "200 OK")
        #expect(try isAlive(other.refresh))
    }

    @Test("ends only this user's authorisation of the app")
    func scope() throws {
        let (first, second) = (try tokens(), try tokens())
        let (other, elsewhere) = (try tokens("bob"), try tokens("ann", app: StandInFixture.otherApp))
        #expect(try standIn.revoke(first.refresh).status == "200 OK")
        #expect(try !isAlive(second.refresh))
        #expect(try isAlive(other.refresh))
        #expect(try isAlive(elsewhere.refresh, app: StandInFixture.otherApp))
        #expect(
            standIn.apple.authorisations == [
                Authorisation(subject: "bob", clientID: StandInFixture.app),
                Authorisation(subject: "ann", clientID: StandInFixture.otherApp),
            ])
    }

    @Test("of another app's token is refused, and does not revoke it")
    func foreign() throws {
        let token = try tokens().refresh
        #expect(try standIn.revoke(token, app: StandInFixture.otherApp).json?["error"] == "invalid_grant")
        #expect(try isAlive(token))
    }

    @Test("grants, revocations and the developer's key survive a restart, in private files")
    mutating func restart() throws {
        let (dead, alive) = (try tokens("dead"), try tokens("alive"))
        let key = try standIn.developerKey()
        #expect(key.algorithm == .ES256)
        #expect(try standIn.revoke(dead.refresh).status == "200 OK")
        try standIn.restart()
        #expect(try !isAlive(dead.refresh))
        #expect(try isAlive(alive.refresh))
        #expect(try standIn.developerKey().thumbprint == key.thumbprint)
        for name in ["grants.json", "AuthKey_DEVELOPER1.p8"] {
            #expect(try Text.mode(of: standIn.folder.file("" + name)) == 0o600)
        }
        #expect(try standIn.revoke(alive.access).status == "200 OK")
        try standIn.restart()
        #expect(try !isAlive(alive.refresh))
    }

    @Test("an invalid file of grants is refused", arguments: ["", "[]", #"{"grants":[{}]}"#])
    mutating func foreignFile(text: String) throws {
        try text.write(toFile: standIn.folder.file("grants.json"), atomically: true, encoding: .utf8)
        #expect(throws: StateFile.Unreadable.self) { try standIn.restart() }
    }
}

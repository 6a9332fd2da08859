import Foundation
import JSON
import TestSupport
import Testing

@testable import FakeApple

@Suite("Revoking a token")
struct RevokeEndpointTests {
    private var stand: Stand

    init() throws {
        stand = try Stand()
    }

    private func tokens(_ subject: String = "ann", app: String = Stand.app) throws -> (refresh: String, access: String)
    {
        let json = try stand.exchange(try stand.code(for: subject, app: app), app: app).json
        return (try #require(json?["refresh_token"]?.string), try #require(json?["access_token"]?.string))
    }

    private func isAlive(_ token: String, app: String = Stand.app) throws -> Bool {
        try stand.renew(token, app: app).status == "200 OK"
    }

    @Test("answers 200 without a word, and the token is dead", arguments: [nil, "refresh_token", "access_token", "x"])
    func refreshToken(hint: String?) throws {
        let token = try tokens().refresh
        let answer = try stand.post(
            "/auth/revoke",
            ["client_id": Stand.app, "client_secret": try stand.secret(), "token": token, "token_type_hint": hint])
        #expect(answer.status == "200 OK")
        #expect(answer.body.isEmpty)
        #expect(try stand.renew(token).json?["error"] == "invalid_grant")
    }

    @Test("by an access token ends the refresh token, too")
    func accessToken() throws {
        let (refresh, access) = try tokens()
        let later = try #require(try stand.renew(refresh).json?["access_token"]?.string)
        #expect(try stand.revoke(later).status == "200 OK")
        #expect(try !isAlive(refresh))
        let other = try tokens()
        #expect(try stand.revoke(access).status == "200 OK")
        #expect(try isAlive(other.refresh))
    }

    @Test("ends the person's authorisation of the app, and nobody else's")
    func scope() throws {
        let (first, second) = (try tokens(), try tokens())
        let (other, elsewhere) = (try tokens("bob"), try tokens("ann", app: Stand.otherApp))
        #expect(try stand.revoke(first.refresh).status == "200 OK")
        #expect(try !isAlive(second.refresh))
        #expect(try isAlive(other.refresh))
        #expect(try isAlive(elsewhere.refresh, app: Stand.otherApp))
        #expect(
            stand.service.authorisations == [
                Authorisation(subject: "bob", clientID: Stand.app),
                Authorisation(subject: "ann", clientID: Stand.otherApp),
            ])
    }

    @Test("of what is dead or was never alive is answered like any other")
    func again() throws {
        let token = try tokens().refresh
        for _ in 0..<3 {
            let answer = try stand.revoke(token)
            #expect(answer.status == "200 OK" && answer.body.isEmpty)
        }
        #expect(try stand.revoke("unknown").status == "200 OK")
    }

    @Test("of another app's token is refused, and leaves it alive")
    func foreign() throws {
        let token = try tokens().refresh
        #expect(try stand.revoke(token, app: Stand.otherApp).json?["error"] == "invalid_grant")
        #expect(try isAlive(token))
    }

    @Test("needs client, secret and token", arguments: ["client_id", "client_secret", "token"])
    func missing(field: String) throws {
        var fields = ["client_id": Stand.app, "client_secret": try stand.secret(), "token": try tokens().refresh]
        fields[field] = nil
        let answer = try stand.post("/auth/revoke", fields)
        #expect(answer.status == "400 Bad Request")
        #expect(answer.json?["error"] == "invalid_request")
        #expect(stand.service.authorisations.count == 1)
    }

    @Test("what was granted and what was revoked is known after a restart")
    mutating func restart() throws {
        let (dead, alive) = (try tokens("dead"), try tokens("alive"))
        #expect(try stand.revoke(dead.refresh).status == "200 OK")
        try stand.restart()
        #expect(try !isAlive(dead.refresh))
        #expect(try isAlive(alive.refresh))
        #expect(try Text.mode(of: stand.folder.file("apple/grants.json")) == 0o600)
        #expect(try stand.revoke(alive.access).status == "200 OK")
        try stand.restart()
        #expect(try !isAlive(alive.refresh))
    }

    @Test("a file of grants that somebody else wrote is refused", arguments: ["", "[]", #"{"grants":[{}]}"#])
    mutating func foreignFile(text: String) throws {
        try text.write(toFile: stand.folder.file("apple/grants.json"), atomically: true, encoding: .utf8)
        #expect(throws: GrantBook.Unreadable.self) { try stand.restart() }
    }
}

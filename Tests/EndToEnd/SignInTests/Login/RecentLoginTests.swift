import Foundation
import JOSE
import JSON
import StandIn
import Testing

@testable import ServerSupport

@Suite("Operations that require a recent login")
struct RecentLoginTests {
    private enum Sensitive: String, CaseIterable, CustomTestStringConvertible {
        case link, unlink, delete

        var testDescription: String { rawValue }
        var path: String { self == .delete ? "/api/users/me" : "/api/users/me/accounts/apple" }
        var method: String { self == .link ? "POST" : "DELETE" }
        var success: Int { self == .link ? 200 : 204 }
    }

    private let server: InProcessServer

    init() throws {
        server = try InProcessServer { $0["SENSITIVE_MAX_AGE"] = "10m" }
    }

    /// A login with an identity token that Apple issues this many seconds from now.
    private func identity(_ subject: String, after seconds: Int64 = 0) -> JSONObject {
        let now = Int64(Date().timeIntervalSince1970) + seconds
        return server.apple.login(subject) { $0.claims = ["iat": .integer(now), "exp": .integer(now + 86_400)] }
    }

    private func proof(_ subject: String, after seconds: Int64) -> JSONObject {
        ["identityToken": identity(subject, after: seconds)["identityToken"] ?? .null]
    }

    private func ask(_ what: Sensitive, _ login: TestResponse, _ body: JSONObject = [:]) -> TestResponse {
        var request = TestRequest.post(what.path, body, bearer: login.accessToken)
        request.method = what.method
        return server.send(request)
    }

    /// A user with a development account and an Apple account, so that every operation is possible.
    private func user(_ name: String) throws -> TestResponse {
        let login = try server.devLogin(name + "@example.com")
        #expect(ask(.link, login, identity(name)).status == 200)
        return login
    }

    private func isTooOld(_ response: TestResponse) -> Bool {
        response.status == 401 && response.code == "login_too_old"
            && response.header("www-authenticate")?.contains(#"error="insufficient_user_authentication""#) == true
            && response.header("www-authenticate")?.contains("max_age=600") == true
    }

    @Test(
        "An operation succeeds within the maximum age and then gets the challenge of RFC 9470",
        arguments: Sensitive.allCases)
    private func limit(_ what: Sensitive) throws {
        for (age, isRefused) in [(560, false), (620, true)] {
            let login = try user("\(what)-\(age)")
            server.advanceClock(by: .seconds(age))
            let body = what == .link ? identity("another-\(age)", after: 0) : [:]
            let response = ask(what, login, body)
            // The user already has an Apple account, so linking another one gets 409.
            let isAllowed = response.status == (what == .link ? 409 : what.success)
            #expect(isRefused ? isTooOld(response) : isAllowed, "\(response.status) \(response.code ?? "")")
            server.advanceClock(by: .seconds(-age))
        }
    }

    @Test("The age counts from the login, not from the last refresh", arguments: Sensitive.allCases)
    private func refreshed(_ what: Sensitive) throws {
        var login = try user("refreshed-\(what)")
        for _ in 0..<2 {
            server.advanceClock(by: .seconds(400))
            login = try server.refresh(login.refreshToken)
            #expect(login.status == 200)
        }
        #expect(isTooOld(ask(what, login, what == .link ? identity("x") : [:])))
        #expect(try server.me(login.accessToken).status == 200, "other requests still succeed")
        server.advanceClock(by: .seconds(-800))
    }

    @Test("A fresh identity token of the same account is accepted instead", arguments: Sensitive.allCases)
    private func freshToken(_ what: Sensitive) throws {
        let login = try user("fresh-\(what)")
        server.advanceClock(by: .seconds(800))
        let body = what == .link ? identity("fresh-\(what)", after: 800) : proof("fresh-\(what)", after: 800)
        #expect(ask(what, login, body).status == what.success)
        let again = server.send(.post("/api/auth/apple", body))
        if what != .link { #expect(again["reason"] == "replayed", "the proof is used up with the account") }
        server.advanceClock(by: .seconds(-800))
    }

    @Test(
        "A token of another account, or an old, used or forged one, is not accepted",
        arguments: [Sensitive.unlink, .delete])
    private func invalidProof(_ what: Sensitive) throws {
        let login = try user("owner-\(what)")
        _ = try user("other-\(what)")
        server.advanceClock(by: .seconds(800))
        #expect(isTooOld(ask(what, login, proof("other-\(what)", after: 800))))
        #expect(isTooOld(ask(what, login, proof("stranger-\(what)", after: 800))))
        #expect(isTooOld(ask(what, login, proof("owner-\(what)", after: 100))))
        let forged: JSONObject = ["identityToken": server.apple.forgedLogin()["identityToken"] ?? .null]
        let refused = ask(what, login, forged)
        #expect(refused.status == 422 && refused.code == "invalid_apple_token", "401 would make the client refresh")
        #expect(refused.header("www-authenticate") == nil)
        let used = proof("owner-\(what)", after: 800)
        #expect(server.send(.post("/api/auth/apple", used)).status == 200)
        server.advanceClock(by: .seconds(90))
        #expect(ask(what, login, used).status == 422 && ask(what, login, used)["reason"] == "replayed")
        #expect(try server.me(login.accessToken).status == 200)
        server.advanceClock(by: .seconds(-890))
    }

    @Test("Without the setting, the age of the login does not matter", arguments: Sensitive.allCases)
    private func disabled(_ what: Sensitive) throws {
        let server = try InProcessServer()
        let login = try server.devLogin("off@example.com")
        let link = TestRequest.post(Sensitive.link.path, server.apple.login("off"), bearer: login.accessToken)
        #expect(server.send(link).status == 200)
        server.advanceClock(by: .seconds(850))
        var request = TestRequest.post(what.path, server.apple.login("off"), bearer: login.accessToken)
        request.method = what.method
        #expect(server.send(request).status == what.success)
    }

    @Test("The access token has the time of the login, also after refreshes")
    func claim() throws {
        let login = try server.devLogin("claim@example.com")
        func authTime(_ response: TestResponse) -> Int64? {
            let parts = response.accessToken.split(separator: ".")
            let payload = parts.count == 3 ? Base64URL.decode(String(parts[1])) : nil
            return payload.flatMap { try? JSONValue(parsing: $0) }?.object?["auth_time"]?.integer
        }
        let moment = try #require(authTime(login))
        #expect(abs(moment - Int64(Date().timeIntervalSince1970)) < 60)
        server.advanceClock(by: .seconds(500))
        #expect(authTime(try server.refresh(login.refreshToken)) == moment)
    }
}

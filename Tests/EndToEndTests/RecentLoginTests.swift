import FakeApple
import Foundation
import JOSE
import JSON
import Testing

@Suite("What demands a recent login")
struct RecentLoginTests {
    private enum Sensitive: String, CaseIterable, CustomTestStringConvertible {
        case link, unlink, delete

        var testDescription: String { rawValue }
        var path: String { self == .delete ? "/api/users/me" : "/api/users/me/accounts/apple" }
        var method: String { self == .link ? "POST" : "DELETE" }
        var success: Int { self == .link ? 200 : 204 }
    }

    private let house: InProcessHouse

    init() throws {
        house = try InProcessHouse { $0["SENSITIVE_MAX_AGE"] = "10m" }
    }

    /// An identity token that Apple issues so many seconds from now.
    private func identity(_ subject: String, after seconds: Int64 = 0) -> JSONObject {
        let now = Int64(Date().timeIntervalSince1970) + seconds
        return house.apple.login(subject) { $0.claims = ["iat": .integer(now), "exp": .integer(now + 86_400)] }
    }

    private func proof(_ subject: String, after seconds: Int64) -> JSONObject {
        ["identityToken": identity(subject, after: seconds)["identityToken"] ?? .null]
    }

    private func ask(_ what: Sensitive, _ login: Answer, _ body: JSONObject = [:]) -> Answer {
        var call = Call.post(what.path, body, bearer: login.accessToken)
        call.method = what.method
        return house.send(call)
    }

    /// A user of whom each of the three can be asked: with Apple, and with another way of signing in.
    private func user(_ name: String) throws -> Answer {
        let login = try house.devLogin(name + "@example.com")
        #expect(ask(.link, login, identity(name)).status == 200)
        return login
    }

    private func isTooOld(_ answer: Answer) -> Bool {
        answer.status == 401 && answer.code == "login_too_old"
            && answer.header("www-authenticate")?.contains(#"error="insufficient_user_authentication""#) == true
            && answer.header("www-authenticate")?.contains("max_age=600") == true
    }

    @Test("is done within that time, and refused after it, as RFC 9470 says", arguments: Sensitive.allCases)
    private func limit(_ what: Sensitive) throws {
        for (age, isRefused) in [(590, false), (620, true)] {
            let login = try user("\(what)-\(age)")
            house.setForward(by: .seconds(age))
            let body = what == .link ? identity("another-\(age)", after: 0) : [:]
            let answer = ask(what, login, body)
            // The user has an account of Apple's already.
            let isAllowed = answer.status == (what == .link ? 409 : what.success)
            #expect(isRefused ? isTooOld(answer) : isAllowed, "\(answer.status) \(answer.code ?? "")")
            house.setForward(by: .seconds(-age))
        }
    }

    @Test("counts from the login, and no refresh makes it younger", arguments: Sensitive.allCases)
    private func refreshed(_ what: Sensitive) throws {
        var login = try user("refreshed-\(what)")
        for _ in 0..<2 {
            house.setForward(by: .seconds(400))
            login = try house.refresh(login.refreshToken)
            #expect(login.status == 200)
        }
        #expect(isTooOld(ask(what, login, what == .link ? identity("x") : [:])))
        #expect(try house.me(login.accessToken).status == 200, "everything else goes on")
        house.setForward(by: .seconds(-800))
    }

    @Test("is done with a fresh identity token of the same account", arguments: Sensitive.allCases)
    private func fresh(_ what: Sensitive) throws {
        let login = try user("fresh-\(what)")
        house.setForward(by: .seconds(800))
        let body = what == .link ? identity("fresh-\(what)", after: 800) : proof("fresh-\(what)", after: 800)
        #expect(ask(what, login, body).status == what.success)
        let again = house.send(.post("/api/auth/apple", body))
        if what != .link { #expect(again["reason"] == "replayed", "the proof is used up with the account") }
        house.setForward(by: .seconds(-800))
    }

    @Test(
        "is not done with one of another account, an old, a used or a forged one",
        arguments: [Sensitive.unlink, .delete])
    private func worthless(_ what: Sensitive) throws {
        let login = try user("owner-\(what)")
        _ = try user("other-\(what)")
        house.setForward(by: .seconds(800))
        #expect(isTooOld(ask(what, login, proof("other-\(what)", after: 800))))
        #expect(isTooOld(ask(what, login, proof("stranger-\(what)", after: 800))))
        #expect(isTooOld(ask(what, login, proof("owner-\(what)", after: 100))))
        let forged: JSONObject = ["identityToken": house.apple.forgedLogin()["identityToken"] ?? .null]
        let refused = ask(what, login, forged)
        #expect(refused.status == 422 && refused.code == "invalid_apple_token", "a client must not refresh on it")
        #expect(refused.header("www-authenticate") == nil)
        let used = proof("owner-\(what)", after: 800)
        #expect(house.send(.post("/api/auth/apple", used)).status == 200)
        house.setForward(by: .seconds(90))
        #expect(ask(what, login, used).status == 422 && ask(what, login, used)["reason"] == "replayed")
        #expect(try house.me(login.accessToken).status == 200)
        house.setForward(by: .seconds(-890))
    }

    @Test("is nothing where it is not set", arguments: Sensitive.allCases)
    private func off(_ what: Sensitive) throws {
        let house = try InProcessHouse()
        let login = try house.devLogin("off@example.com")
        let link = Call.post(Sensitive.link.path, house.apple.login("off"), bearer: login.accessToken)
        #expect(house.send(link).status == 200)
        house.setForward(by: .seconds(850))
        var call = Call.post(what.path, house.apple.login("off"), bearer: login.accessToken)
        call.method = what.method
        #expect(house.send(call).status == what.success)
    }

    @Test("an access token says when its user signed in, also after refreshes")
    func claim() throws {
        let login = try house.devLogin("claim@example.com")
        func authTime(_ answer: Answer) -> Int64? {
            let parts = answer.accessToken.split(separator: ".")
            let payload = parts.count == 3 ? Base64URL.decode(String(parts[1])) : nil
            return payload.flatMap { try? JSONValue(parsing: $0) }?.object?["auth_time"]?.integer
        }
        let moment = try #require(authTime(login))
        #expect(abs(moment - Int64(Date().timeIntervalSince1970)) < 60)
        house.setForward(by: .seconds(500))
        #expect(authTime(try house.refresh(login.refreshToken)) == moment)
    }
}

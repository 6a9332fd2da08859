import DevelopmentHTTP
import JSON
import StandIn
import StoreSupport
import TestSupport
import Testing

@testable import ServerSupport

@Suite("Binding, changing and joining")
struct PhoneBindingTests {
    private let fixture: CodeFixture
    private let server: InProcessServer

    init() throws {
        fixture = try CodeFixture { $0["PHONE_BINDING"] = "required" }
        server = try #require(fixture.server as? InProcessServer)
    }

    private func logInByMail(_ name: String) throws -> TestResponse {
        try fixture.logIn(fixture.code("\(name)@example.com", channel: "email"))
    }

    private func guarded(_ accessToken: String) throws -> String {
        fixture.refusal(server.send(.get("/api/auth/verify", bearer: accessToken)))
    }

    private func refreshed(_ login: TestResponse) throws -> TestResponse {
        server.send(.refresh(login.refreshToken))
    }

    @Test("A user without a number can refresh, log out, read and delete themself")
    func required() throws {
        let login = try logInByMail("required")
        #expect(try guarded(login.accessToken) == "403 phone_required")
        #expect(try fixture.me(login).status == 200)
        #expect(try refreshed(login).status == 200)
        #expect(server.send(.post("/api/auth/logout", [:], bearer: login.accessToken)).status == 204)
        let deleted = try logInByMail("deleted")
        #expect(try server.delete("/api/users/me", deleted).status == 204)
    }

    @Test("After binding, a refresh gives a token with which everything is open")
    func bound() throws {
        let login = try logInByMail("bound")
        let number = fixture.newNumber()
        let answer = try fixture.bind(fixture.code(number), to: login)
        #expect(answer.status == 200, "\(answer.json)")
        let providers = answer["accounts"]?.array?.compactMap { $0.object?["provider"]?.string }
        #expect(providers == ["EMAIL", "PHONE"])
        #expect(try fixture.me(login)["phone"] == .string(number))
        let next = try refreshed(login)
        #expect(try guarded(next.accessToken) == "204")
    }

    @Test("After a number is removed, tokens that say it is there are refused, until there is another one")
    func unbound() throws {
        let login = try logInByMail("unbound")
        #expect(try fixture.bind(fixture.code(fixture.newNumber()), to: login).status == 200)
        let bound = try refreshed(login)
        #expect(try guarded(bound.accessToken) == "204")
        #expect(try server.delete("/api/users/me/accounts/phone", bound).status == 204)
        #expect(try guarded(bound.accessToken) == "403 phone_required")
        #expect(server.send(.get("/api/users/me/sessions", bearer: bound.accessToken)).code == "phone_required")
        #expect(try fixture.me(bound).status == 200)
        let without = try refreshed(bound)
        #expect(try guarded(without.accessToken) == "403 phone_required")
        #expect(try fixture.bind(fixture.code(fixture.newNumber()), to: without).status == 200)
        #expect(try guarded(refreshed(without).accessToken) == "204")
        #expect(try guarded(bound.accessToken) == "204", "the user has a number again")
    }

    @Test("A number that another process has removed is missing at the guard as well")
    func unboundElsewhere() throws {
        let login = try logInByMail("elsewhere")
        let number = fixture.newNumber()
        #expect(try fixture.bind(fixture.code(number), to: login).status == 200)
        let bound = try refreshed(login)
        let other = try InProcessServer(beside: server)
        #expect(fixture.refusal(other.send(.get("/api/auth/verify", bearer: bound.accessToken))) == "204")
        #expect(try server.delete("/api/users/me/accounts/phone", bound).status == 204)
        #expect(
            try Eventually.holds {
                try other.runMaintenance()
                return fixture.refusal(other.send(.get("/api/auth/verify", bearer: bound.accessToken)))
                    == "403 phone_required"
            })
    }

    @Test("At a guarded location, nginx sends the problem document; after a binding and a refresh, the request passes")
    func guardedLocation() throws {
        let (providers, upstream) = (try StandInServer(), try UpstreamServer.echoing())
        let nginx = try ServerBehindNginx(
            locations: """
                location /notes/ {
                    include snippets/gatehouse-guard.conf; proxy_pass http://127.0.0.1:\(upstream.port);
                }
                """
        ) { variables in
            CodeFixture.addSettings(of: providers, to: &variables)
            variables["PHONE_BINDING"] = "required"
        }
        let fixture = CodeFixture(providers, nginx)
        let login = try fixture.logIn(fixture.code("guarded@example.com", channel: "email"))
        let refused = try nginx.send(.get("/notes/1", bearer: login.accessToken))
        #expect(fixture.refusal(refused) == "403 phone_required")
        #expect(refused.header("content-type") == "application/problem+json")
        #expect(upstream.requests(at: "/notes/1").isEmpty)
        #expect(try fixture.bind(fixture.code(fixture.newNumber()), to: login).status == 200)
        let next = try nginx.refresh(login.refreshToken)
        #expect(try nginx.send(.get("/notes/1", bearer: next.accessToken)).status == 200)
    }

    @Test("The guard reads no database for it, and a token of before the setting goes on")
    func tokens() throws {
        let open = try CodeFixture()
        let openServer = try #require(open.server as? InProcessServer)
        let login = try open.logIn(open.code("tokens@example.com", channel: "email"))
        #expect(openServer.send(.get("/api/auth/verify", bearer: login.accessToken)).status == 204)
        #expect(login.accessClaims["phone_required"] == nil)
        let shell = try logInByMail("tokens")
        #expect(shell.accessClaims["phone_required"] == true)
    }

    @Test("A number of another user, a code for mail, a wrong one and a used one are refused, and nothing changes")
    func refused() throws {
        let number = fixture.newNumber()
        let owner = try fixture.logIn(phone: number)
        let login = try logInByMail("refused")
        server.advanceClock(by: .seconds(200))
        let code = try fixture.code(number)
        #expect(try fixture.refusal(fixture.bind(code.wrong, to: login)) == "422 invalid_code")
        #expect(try fixture.refusal(fixture.bind(code, to: login)) == "409 account_already_linked identity")
        let mail = try fixture.code("refused-other@example.com", channel: "email")
        #expect(try fixture.refusal(fixture.bind(mail, to: login)) == "422 invalid_code")
        #expect(try fixture.me(login)["phone"] == .null)
        #expect(try fixture.me(owner)["phone"] == .string(number))
        let own = try fixture.code(fixture.newNumber())
        #expect(try fixture.bind(own, to: login).status == 200)
        #expect(try fixture.refusal(fixture.bind(own, to: login)) == "422 invalid_code")
        let second = try fixture.code(fixture.newNumber())
        #expect(try fixture.refusal(fixture.bind(second, to: login)) == "409 account_already_linked provider")
    }

    @Test("A number is changed by a recent login alone, and the former number is told")
    func change() throws {
        let (old, new) = (fixture.newNumber(), fixture.newNumber())
        let login = try fixture.logIn(phone: old)
        server.advanceClock(by: .seconds(3700))
        let late = try refreshed(login)
        let refused = try fixture.bind(fixture.code(new), to: late, ["replace": true])
        #expect(fixture.refusal(refused) == "401 login_too_old")
        let recent = try fixture.logIn(phone: old)
        server.advanceClock(by: .seconds(61))
        let last = fixture.providers.inbox.lastNumber
        let code = try fixture.code(new)
        #expect(try fixture.bind(code, to: recent, ["replace": true]).status == 200)
        #expect(try fixture.me(recent)["phone"] == .string(new))
        #expect(fixture.providers.inbox.message(to: old, after: last)?.notice == "phone_changed")
        #expect(try fixture.me(late).status == 200, "no session has ended")
        server.advanceClock(by: .seconds(200))
        #expect(try fixture.logIn(phone: old)["isNewUser"] == true, "the old number is free")
    }

    @Test("A changed mail address becomes the user's address")
    func changedMail() throws {
        let fixture = try CodeFixture()
        let login = try fixture.logIn(fixture.code("old-mail@example.com", channel: "email"))
        let last = fixture.providers.inbox.lastNumber
        let code = try fixture.code("new-mail@example.com", channel: "email")
        #expect(try fixture.bind(code, to: login, channel: "email", ["replace": true]).status == 200)
        #expect(try fixture.me(login)["email"] == "new-mail@example.com")
        #expect(fixture.providers.inbox.message(to: "old-mail@example.com", after: last)?.subject?.isEmpty == false)
    }

    @Test("A new user joins the owner of the number: the identities move, and the answer is a login as the owner")
    func join() throws {
        let number = fixture.newNumber()
        let owner = try fixture.logIn(phone: number)
        let shell = try logInByMail("join")
        server.advanceClock(by: .seconds(200))
        let joined = try fixture.bind(fixture.code(number), to: shell, ["onTaken": "join"])
        #expect(joined.status == 200 && joined.userID == owner.userID, "\(joined.json)")
        #expect(joined["isNewUser"] == false && joined["user"]?.object?["email"] == "join@example.com")
        #expect(try guarded(joined.accessToken) == "204")
        #expect(try guarded(owner.accessToken) == "204", "the owner's session goes on")
        #expect(try guarded(shell.accessToken) == "401 session_revoked")
        #expect(try refreshed(shell).status == 401)
        server.advanceClock(by: .seconds(61))
        #expect(try logInByMail("join").userID == owner.userID)
        let export = server.send(.get("/api/users/me/export", bearer: joined.accessToken)).json.description
        #expect(export.contains("joined"))
    }

    @Test("The number of a user who joins is in the answer, and the guard lets the owner of the address through")
    func joinWithNumber() throws {
        let owner = try logInByMail("owner-of-address")
        let shell = try fixture.logIn(phone: fixture.newNumber())
        server.advanceClock(by: .seconds(200))
        let code = try fixture.code("owner-of-address@example.com", channel: "email")
        let joined = try fixture.bind(code, to: shell, channel: "email", ["onTaken": "join"])
        #expect(joined.status == 200 && joined.userID == owner.userID, "\(joined.json)")
        #expect(joined["user"]?.object?["phone"]?.string != nil)
        #expect(try guarded(joined.accessToken) == "204")
    }

    @Test("A user of more than a day, one with another session, and one whose provider the owner has too, do not join")
    func noJoin() throws {
        let number = fixture.newNumber()
        let owner = try fixture.logIn(phone: number)
        #expect(
            try fixture.bind(fixture.code("owner-nj@example.com", channel: "email"), to: owner, channel: "email").status
                == 200)

        let sameProvider = try logInByMail("same-provider")
        server.advanceClock(by: .seconds(200))
        var answer = try fixture.bind(fixture.code(number), to: sameProvider, ["onTaken": "join"])
        #expect(fixture.refusal(answer) == "409 account_already_linked provider")

        let twice = try server.devLogin("twice-nj@example.com")
        _ = try server.devLogin("twice-nj@example.com")
        server.advanceClock(by: .seconds(600))
        answer = try fixture.bind(fixture.code(number), to: twice, ["onTaken": "join"])
        #expect(fixture.refusal(answer) == "409 account_already_linked identity")

        let old = try server.devLogin("old-nj@example.com")
        server.advanceClock(by: .seconds(86_401))
        let late = try refreshed(old)
        answer = try fixture.bind(fixture.code(number), to: late, ["onTaken": "join"])
        #expect(fixture.refusal(answer) == "409 account_already_linked identity")
        for login in [sameProvider, twice, late] {
            #expect(try fixture.me(login).status == 200 || login.userID != late.userID)
        }
    }

    @Test("Joining a number that is free binds it")
    func free() throws {
        let login = try logInByMail("free")
        let answer = try fixture.bind(fixture.code(fixture.newNumber()), to: login, ["onTaken": "join"])
        #expect(answer.status == 200 && answer["accounts"] != nil)
    }

    @Test("Requests to join at the same moment join once")
    func race() throws {
        let number = fixture.newNumber()
        let owner = try fixture.logIn(phone: number)
        let shell = try logInByMail("race-join")
        server.advanceClock(by: .seconds(200))
        let code = try fixture.code(number)
        let answers = try Concurrently.run(4) { [fixture] _ in try fixture.bind(code, to: shell, ["onTaken": "join"]) }
        #expect(answers.filter { $0.status == 200 }.map(\.userID) == [owner.userID])
    }
}

@Suite("What Apple gave to a user who joins another one")
struct JoinedAppleAccountTests {
    private let fixture: CodeFixture
    private let apple: AppleDeveloperFixture

    init() throws {
        let providers = try StandInServer()
        apple = try AppleDeveloperFixture { variables in
            CodeFixture.addSettings(of: providers, to: &variables)
            variables["CODES_PER_ADDRESS"] = "100/1h"
        }
        fixture = CodeFixture(providers, apple.server)
    }

    @Test("is still revoked when the joined account is deleted")
    func token() throws {
        let number = fixture.newNumber()
        let owner = try fixture.logIn(phone: number)
        let shell = try apple.logInAndAwaitGrant("ann")
        let joined = try fixture.bind(fixture.code(number), to: shell, ["onTaken": "join"])
        #expect(joined.userID == owner.userID, "\(joined.json)")
        #expect(try apple.hasGrant(owner.userID))
        #expect(try apple.logIn("ann").userID == owner.userID)
        #expect(apple.isAuthorised("ann"))
        #expect(try apple.server.deleteAccount(joined).header("x-apple-revocation") == "queued")
        #expect(Eventually.holds { !apple.isAuthorised("ann") && apple.pendingTasks == 0 })
    }

    @Test("is exchanged for the joined account if its code still waits")
    func code() throws {
        let number = fixture.newNumber()
        let owner = try fixture.logIn(phone: number)
        apple.apple.service.addFault(Fault(.close, path: "/auth/token"))
        let shell = try apple.logIn("bob")
        #expect(Eventually.holds { !apple.requests(of: "/auth/token").isEmpty })
        let joined = try fixture.bind(fixture.code(number), to: shell, ["onTaken": "join"])
        #expect(joined.userID == owner.userID && apple.pendingTasks == 1)
        apple.apple.service.removeFaults()
        #expect(Eventually.holds { (try? apple.hasGrant(owner.userID)) == true })
    }
}

@Suite("Numbers that were unused for a long time")
struct StaleNumberTests {
    private let fixture: CodeFixture
    private let server: InProcessServer

    init() throws {
        fixture = try CodeFixture { $0["PHONE_STALE_AFTER"] = "90d" }
        server = try #require(fixture.server as? InProcessServer)
    }

    @Test("Where there is another way to sign in, that has to be used, after which the number is good again")
    func another() throws {
        let number = fixture.newNumber()
        let login = try fixture.logIn(phone: number)
        _ = try fixture.bind(fixture.code("stale@example.com", channel: "email"), to: login, channel: "email")
        server.advanceClock(by: .seconds(89 * 86_400))
        #expect(try fixture.logIn(phone: number).status == 200)
        server.advanceClock(by: .seconds(91 * 86_400))
        let refused = try fixture.logIn(phone: number)
        #expect(fixture.refusal(refused) == "403 stale_number" && refused.header("www-authenticate") == nil)
        #expect(try fixture.logIn(fixture.code("stale@example.com", channel: "email")).userID == login.userID)
        server.advanceClock(by: .seconds(200))
        #expect(try fixture.logIn(phone: number).userID == login.userID)
    }

    @Test("A new user does not join by such a number either")
    func join() throws {
        let number = fixture.newNumber()
        let login = try fixture.logIn(phone: number)
        _ = try fixture.bind(fixture.code("stale-join@example.com", channel: "email"), to: login, channel: "email")
        server.advanceClock(by: .seconds(91 * 86_400))
        let shell = try server.devLogin("stale-shell@example.com")
        let answer = try fixture.bind(fixture.code(number), to: shell, ["onTaken": "join"])
        #expect(fixture.refusal(answer) == "403 stale_number")
        #expect(try fixture.me(shell).status == 200)
    }

    @Test("Where there is none, it signs in, is audited, and the account's address is told")
    func alone() throws {
        let number = fixture.newNumber()
        let login = try fixture.logIn(phone: number)
        _ = try fixture.bind(fixture.code("told@example.com", channel: "email"), to: login, channel: "email")
        try server.testDatabase.execute("DELETE FROM auth_accounts WHERE provider = 'EMAIL'")
        server.advanceClock(by: .seconds(91 * 86_400))
        let last = fixture.providers.inbox.lastNumber
        #expect(try fixture.logIn(phone: number).userID == login.userID)
        #expect(fixture.providers.inbox.message(to: "told@example.com", after: last + 1) != nil)
        let audited = "SELECT count(*) FROM audit_events WHERE kind = 'stale_number_used'"
        #expect(try server.testDatabase.number(audited) == 1)
    }
}

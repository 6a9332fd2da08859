import DevelopmentHTTP
import JSON
import StandIn
import StoreSupport
import TestSupport
import Testing

@testable import ServerSupport

@Suite("Attacks on the limits of codes")
struct CodeLimitAttackTests {
    private func handler(
        _ adjust: @escaping (inout [String: String]) -> Void = { _ in }
    ) throws -> (CodeFixture, InProcessServer) {
        let fixture = try CodeFixture(.handler, adjust)
        return (fixture, try #require(fixture.server as? InProcessServer))
    }

    private func wait(_ answer: TestResponse) -> Int { Int(answer.header("retry-after") ?? "") ?? 0 }

    @Test("An owner who has asked once, without success, is not kept out for more than an hour by other networks")
    func askedOnce() throws {
        let (fixture, server) = try handler()
        let number = fixture.newNumber()
        #expect(try fixture.ask(number, from: "192.0.2.1").status == 202)
        for index in 0..<9 {
            server.advanceClock(by: .seconds(900))
            #expect(try fixture.ask(number, from: "198.51.\(index).1").status == 202)
        }
        server.advanceClock(by: .seconds(3601))
        let answer = try fixture.ask(number, from: "192.0.2.1")
        #expect(answer.status == 202, "\(answer.json)")
        #expect(wait(answer) <= 3600)
    }

    @Test("An owner who shares a network with the attacker, as behind a carrier's address, waits for an hour at most")
    func sharedNetwork() throws {
        let (fixture, server) = try handler()
        let number = fixture.newNumber()
        #expect(try fixture.logIn(fixture.code(number, from: "192.0.2.1")).status == 200)
        for _ in 0..<9 {
            server.advanceClock(by: .seconds(900))
            _ = try fixture.ask(number, from: "192.0.2.99")
        }
        server.advanceClock(by: .seconds(3601))
        let answer = try fixture.ask(number, from: "192.0.2.1")
        #expect(answer.status == 202, "wait \(wait(answer))")
    }

    @Test("One network cannot use up what the other numbers of a prefix may get")
    func prefix() throws {
        let (fixture, server) = try handler()
        for index in 0..<20 {
            _ = try fixture.ask("+8613912340\(index + 100)", from: "198.51.100.1")
            server.advanceClock(by: .seconds(10))
        }
        #expect(try fixture.ask("+8613912340999", from: "192.0.2.1").status == 202)
    }

    @Test("One network cannot close a country to the other networks by not using its codes")
    func country() throws {
        let (fixture, server) = try handler()
        for index in 0..<100 {
            #expect(try fixture.ask("+86139\(1000 + index)0000", from: "198.51.100.\(index / 25)").status == 202)
            server.advanceClock(by: .seconds(10))
        }
        server.advanceClock(by: .seconds(601))
        let answer = try fixture.ask(fixture.newNumber(), from: "192.0.2.1")
        #expect(answer.status == 202, "\(answer.json)")
    }

    @Test("Strangers who use up what a channel may send do not keep out those who have signed in by it before")
    func channel() throws {
        let (fixture, server) = try handler { $0["CODES_PER_CHANNEL"] = "20/1h" }
        let known = try fixture.code("known@example.com", channel: "email", from: "192.0.2.1")
        #expect(try fixture.logIn(known).status == 200)
        server.advanceClock(by: .seconds(61))
        for index in 0..<20 {
            _ = try fixture.ask("other-\(index)@example.com", channel: "email", from: "198.51.\(index).1")
        }
        #expect(try fixture.ask("known@example.com", channel: "email", from: "192.0.2.1").status == 202)
    }

    @Test(
        "While the gateway fails, one client has it called no more often than its limits say, and leaves no rows",
        arguments: [("status", 500), ("status", 504), ("status", 429), ("close", 0)])
    func failingGateway(_ mode: String, _ status: Int64) throws {
        let (fixture, server) = try handler()
        try fixture.providers.control("/sms/faults", ["mode": .string(mode), "status": .integer(max(200, status))])
        var answers: Set<String> = []
        for _ in 0..<60 { answers.insert(fixture.refusal(try fixture.ask("+8613800138000", from: "198.51.100.1"))) }
        let calls = try fixture.providers.control("/sms/requests", method: "GET")["requests"]?.array?.count ?? 0
        #expect(calls <= 30, "\(calls) calls of the gateway, answers \(answers)")
        #expect(try server.testDatabase.number("SELECT count(*) FROM codes") <= 30)
    }

    @Test("A message that the gateway may have sent counts: it closed the connection after the whole request")
    func lostAnswer() throws {
        let (fixture, _) = try handler()
        let number = fixture.newNumber()
        try fixture.providers.control("/sms/faults", ["mode": "close"])
        #expect(try fixture.ask(number).status == 503)
        #expect(try fixture.ask(number).status == 429)
    }

    @Test("A clock that was ahead for a moment does not lock a number for that time")
    func clockAhead() throws {
        let (fixture, server) = try handler()
        let number = fixture.newNumber()
        server.setClock(aheadBy: .seconds(10 * 86_400))
        _ = try fixture.ask(number, from: "192.0.2.1")
        server.setClock(aheadBy: .zero)
        server.advanceClock(by: .seconds(3601))
        let answer = try fixture.ask(number, from: "192.0.2.1")
        #expect(answer.status == 202, "wait \(wait(answer))")
    }

    @Test("A test code whose last day has ended opens no country")
    func testCodeCountry() throws {
        let (fixture, _) = try handler { $0["TEST_CODES"] = "+12025550123=424242@2020-01-01" }
        #expect(try fixture.refusal(fixture.ask("+12025550123")) == "422 country_not_served")
    }
}

@Suite("Attacks on the change of an address")
struct AddressChangeAttackTests {
    @Test("Unlinking a number and binding another one demands no less than a change, and tells the old number")
    func unlinkAndBind() throws {
        let fixture = try CodeFixture()
        let server = try #require(fixture.server as? InProcessServer)
        let (old, new) = (fixture.newNumber(), fixture.newNumber())
        let login = try fixture.logIn(phone: old)
        let mail = try fixture.code("two-ways@example.com", channel: "email")
        #expect(try fixture.bind(mail, to: login, channel: "email").status == 200)
        server.advanceClock(by: .seconds(3700))
        let stolen = server.send(.refresh(login.refreshToken))
        let last = fixture.providers.inbox.lastNumber
        let unlinked = try server.delete("/api/users/me/accounts/phone", stolen)
        let bound = try fixture.bind(fixture.code(new), to: stolen)
        #expect(
            fixture.refusal(unlinked) == "401 login_too_old" || fixture.refusal(bound) == "401 login_too_old",
            "\(unlinked.status) \(bound.status)")
        if bound.status == 200 {
            #expect(fixture.providers.inbox.message(to: old, after: last)?.notice == "phone_changed")
        }
    }

    @Test("A join, which moves all ways to sign in, demands a login that is as recent as for linking one")
    func joinAge() throws {
        let fixture = try CodeFixture { $0["SENSITIVE_MAX_AGE"] = "5m" }
        let server = try #require(fixture.server as? InProcessServer)
        let number = fixture.newNumber()
        _ = try fixture.logIn(phone: number)
        let shell = try fixture.logIn(fixture.code("join-age@example.com", channel: "email"))
        server.advanceClock(by: .seconds(3600))
        let stolen = server.send(.refresh(shell.refreshToken))
        let linked = try fixture.bind(fixture.code(fixture.newNumber()), to: stolen)
        #expect(fixture.refusal(linked) == "401 login_too_old")
        let joined = try fixture.bind(fixture.code(number), to: stolen, ["onTaken": "join"])
        #expect(fixture.refusal(joined) == "401 login_too_old", "\(joined.json)")
    }

    @Test("Apple's token is kept for the joined user also if its code is being exchanged during the join")
    func exchangeDuringJoin() throws {
        let providers = try StandInServer()
        let apple = try AppleDeveloperFixture { variables in
            CodeFixture.addSettings(of: providers, to: &variables)
            variables["CODES_PER_ADDRESS"] = "100/1h"
        }
        let fixture = CodeFixture(providers, apple.server)
        let number = fixture.newNumber()
        let owner = try fixture.logIn(phone: number)
        let code = try fixture.code(number)
        var delay = Fault<AppleFault>(.delay, path: "/auth/token", times: 1)
        // The server waits five seconds.
        delay.seconds = 2
        apple.apple.service.addFault(delay)
        let shell = try apple.logIn("carl")
        #expect(Eventually.holds { !apple.requests(of: "/auth/token").isEmpty })
        let joined = try fixture.bind(code, to: shell, ["onTaken": "join"])
        #expect(joined.userID == owner.userID, "\(joined.json)")
        #expect(Eventually.holds { apple.pendingTasks == 0 })
        #expect(try apple.hasGrant(owner.userID))
    }

    @Test(
        "A login by an identity that has just moved to another user waits for that user's deletion",
        .enabled(if: TestDatabase.isOnServer, "a file has one writer"))
    func movedIdentity() throws {
        let fixture = try CodeFixture { variables in
            for name in ["ADDRESS", "ADDRESS_AND_NETWORK"] { variables["CODES_PER_\(name)"] = "100/1h" }
            // The login waits for a lock for half of it.
            variables["DATABASE_TIMEOUT"] = "60s"
        }
        let server = try #require(fixture.server as? InProcessServer)
        let owner = try fixture.logIn(phone: fixture.newNumber())
        let mail = "moved@example.com"
        let shell = try fixture.logIn(fixture.code(mail, channel: "email"))
        let code = try fixture.code(mail, channel: "email")
        let (joining, deleting) = (try server.testDatabase.connection(), try server.testDatabase.connection())
        // What a join and a deletion lock and write, each in its transaction.
        try joining.executeScript(
            """
            SET idle_in_transaction_session_timeout = 0; BEGIN; SELECT pg_advisory_xact_lock(hashtextextended('EMAIL \(mail)', 0));
            SELECT 1 FROM users WHERE id = '\(shell.userID)' FOR NO KEY UPDATE
            """)
        let waiting = Background { Array("\((try? fixture.logIn(code).status) ?? 0)".utf8) }
        let locked =
            "SELECT count(*) FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND datname = current_database()"
        #expect(try Eventually.holds { try server.testDatabase.number(locked) == 1 })
        try deleting.executeScript(
            """
            SET idle_in_transaction_session_timeout = 0; BEGIN;
            UPDATE users SET status = 'DELETED', email = NULL, last_login_at = NULL WHERE id = '\(owner.userID)'
            """)
        try joining.executeScript(
            """
            UPDATE auth_accounts SET user_id = '\(owner.userID)' WHERE user_id = '\(shell.userID)';
            DELETE FROM refresh_tokens WHERE user_id = '\(shell.userID)';
            UPDATE users SET status = 'DELETED', email = NULL WHERE id = '\(shell.userID)'; COMMIT
            """)
        #expect(try Eventually.holds { try server.testDatabase.number(locked) == 1 })
        try deleting.executeScript(
            """
            DELETE FROM auth_accounts WHERE user_id = '\(owner.userID)';
            DELETE FROM refresh_tokens WHERE user_id = '\(owner.userID)'; COMMIT
            """)
        _ = waiting.result()
        let alive = "SELECT count(*) FROM refresh_tokens WHERE user_id = '\(owner.userID)'"
        #expect(try server.testDatabase.number(alive) == 0, "a session of a deleted user")
        let personal = "SELECT count(*) FROM users WHERE status = 'DELETED' AND email IS NOT NULL"
        #expect(try server.testDatabase.number(personal) == 0, "an address of a deleted user")
    }
}

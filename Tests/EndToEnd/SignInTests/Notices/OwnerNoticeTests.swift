import JSON
import StandIn
import StoreSupport
import Synchronization
import TestSupport
import Testing

@testable import ServerSupport

@Suite("What owners are told of their accounts")
struct OwnerNoticeTests {
    private static let phone = "Example/1.0 (iPhone15,3; iOS 18.1)"
    private static let newDevice = "New sign-in to your Gatehouse account"
    private static let linked = "A way to sign in was added to your Gatehouse account"
    private static let unlinked = "A way to sign in was removed from your Gatehouse account"
    private static let joined = "Your Gatehouse account was joined with another one"
    private static let phoneChanged = "The phone number of your Gatehouse account was replaced or removed"
    private static let emailChanged = "The email address of your Gatehouse account was replaced or removed"

    private let fixture: CodeFixture
    private let server: InProcessServer

    init() throws { try self.init { _ in } }

    private init(_ adjust: @escaping (inout [String: String]) -> Void) throws {
        fixture = try CodeFixture { variables in
            for name in ["ADDRESS", "ADDRESS_AND_NETWORK", "CLIENT", "NETWORK"] {
                variables["CODES_PER_\(name)"] = "1000/1h"
            }
            adjust(&variables)
        }
        server = try #require(fixture.server as? InProcessServer)
    }

    private func logIn(_ mail: String, on device: String? = phone) throws -> TestResponse {
        let code = try fixture.code(mail, channel: "email")
        var request = TestRequest.post("/api/auth/codes/\(code.id)", ["code": .string(code.text)])
        if let device { request.headers.append(("User-Agent", device)) }
        return server.send(request)
    }

    /// The subjects of the notices to an address, and the names of those to a number.
    private func notices(to address: String) -> [String] {
        fixture.providers.inbox.messages.reversed().filter { $0.to == address && $0.code == nil }
            .map { $0.notice ?? $0.subject ?? "" }
    }

    private func waiting() throws -> Int64 {
        try server.testDatabase.number("SELECT count(*) FROM notices WHERE due_at IS NOT NULL")
    }

    // MARK: A new device

    @Test("The first login says nothing, and later ones on this kind of device neither, also after an update")
    func sameDevice() throws {
        let mail = "same@example.com"
        let versions = [Self.phone, "Example/1.1 (iPhone15,3; iOS 18.1)", "Example/10.0.1 (iPhone15,3; iOS 26.0_1)"]
        for device in versions { #expect(try logIn(mail, on: device).status == 200) }
        #expect(notices(to: mail).isEmpty)
    }

    @Test("A login on a kind of device that the user never had is told to the address, once, and as an event")
    func newDevice() throws {
        let mail = "device@example.com"
        try server.testDatabase.execute("INSERT INTO event_receivers (name, types, seen_at) VALUES ('all', '*', 0)")
        let first = try logIn(mail)
        for device in ["Example/1.0 (Pixel 9; Android 16)", "Example/1.1 (Pixel 9; Android 16)", Self.phone] {
            #expect(try logIn(mail, on: device).userID == first.userID)
        }
        #expect(notices(to: mail) == [Self.newDevice])
        #expect(try server.testDatabase.number("SELECT count(*) FROM events WHERE type = 'device.added'") == 1)
        #expect(
            try server.testDatabase.number(
                "SELECT count(*) FROM events e JOIN refresh_tokens t ON t.id = e.session_id WHERE type = 'device.added'"
                    + " AND e.detail = 'EMAIL' AND t.user_agent = 'Example/1.0 (Pixel 9; Android 16)'") == 1)
    }

    @Test("A user whose sessions are all forgotten is told, and one who was imported and signs in first is not")
    func forgotten() throws {
        let mail = "away@example.com"
        let first = try logIn(mail)
        try server.testDatabase.execute("DELETE FROM refresh_tokens WHERE user_id = '\(first.userID)'")
        #expect(try logIn(mail).status == 200)
        #expect(notices(to: mail) == [Self.newDevice])
        let imported = try logIn("imported@example.com")
        try server.testDatabase.execute(
            "DELETE FROM refresh_tokens WHERE user_id = '\(imported.userID)';"
                + " UPDATE users SET last_login_provider = NULL WHERE id = '\(imported.userID)'")
        #expect(try logIn("imported@example.com").userID == imported.userID)
        #expect(notices(to: "imported@example.com").isEmpty)
    }

    // MARK: Changes

    @Test("A linked number, a replaced and a removed one are told to the address, and the former ones to the number")
    func number() throws {
        let (mail, first, second) = ("number@example.com", fixture.newNumber(), fixture.newNumber())
        let login = try logIn(mail)
        #expect(try fixture.bind(fixture.code(first), to: login).status == 200)
        #expect(notices(to: mail) == [Self.linked])
        #expect(try fixture.bind(fixture.code(second), to: login, ["replace": true]).status == 200)
        #expect(try server.delete("/api/users/me/accounts/phone", login).status == 204)
        #expect(notices(to: mail) == [Self.linked, Self.phoneChanged, Self.phoneChanged])
        #expect(notices(to: first) == ["phone_changed"] && notices(to: second) == ["phone_changed"])
    }

    @Test("A replaced and a removed address are told to that address, and not to the one that took its place")
    func address() throws {
        let (old, new) = ("old-owner@example.com", "new-owner@example.com")
        let login = try logIn(old)
        let code = try fixture.code(new, channel: "email")
        #expect(try fixture.bind(code, to: login, channel: "email", ["replace": true]).status == 200)
        #expect(notices(to: old) == [Self.emailChanged] && notices(to: new).isEmpty)
        #expect(try fixture.bind(fixture.code(fixture.newNumber()), to: login).status == 200)
        #expect(try server.delete("/api/users/me/accounts/email", login).status == 204)
        #expect(notices(to: new) == [Self.linked, Self.emailChanged])
    }

    @Test("An account of Apple that is linked and removed is told to the address that the user had before")
    func provider() throws {
        let mail = "provider@example.com"
        let login = try logIn(mail)
        let linked = server.send(
            .post("/api/users/me/accounts/apple", server.apple.login("owner"), bearer: login.accessToken))
        #expect(linked.status == 200)
        #expect(try server.delete("/api/users/me/accounts/apple", login).status == 204)
        #expect(notices(to: mail) == [Self.linked, Self.unlinked])
    }

    @Test("A join is told to the address of each of the two users")
    func join() throws {
        let (mail, number) = ("shell-owner@example.com", fixture.newNumber())
        let owner = try fixture.logIn(phone: number)
        let apple = server.send(
            .post("/api/users/me/accounts/apple", server.apple.login("owner-of-two"), bearer: owner.accessToken))
        #expect(apple.status == 200)
        let relay = "owner-of-two@example.com"
        try server.testDatabase.execute(
            "UPDATE users SET email = '\(relay)', email_verified = TRUE WHERE id = '\(owner.userID)'")
        let shell = try logIn(mail)
        let joined = try fixture.bind(fixture.code(number), to: shell, ["onTaken": "join"])
        #expect(joined.userID == owner.userID, "\(joined.json)")
        #expect(notices(to: mail) == [Self.joined] && notices(to: relay) == [Self.joined])
    }

    @Test("An address that nothing has verified is told nothing")
    func unverified() throws {
        let login = try logIn("unverified@example.com")
        try server.testDatabase.execute("UPDATE users SET email_verified = FALSE WHERE id = '\(login.userID)'")
        #expect(try fixture.bind(fixture.code(fixture.newNumber()), to: login).status == 200)
        #expect(notices(to: "unverified@example.com").isEmpty)
    }

    // MARK: Limits and faults

    @Test("A user gets at most six within a day, three of new devices; a former number is told in any case")
    func limit() throws {
        let (mail, number) = ("limit@example.com", fixture.newNumber())
        let login = try logIn(mail)
        for letter in "abcdefgh" { _ = try logIn(mail, on: "Device \(letter)") }
        #expect(notices(to: mail) == Array(repeating: Self.newDevice, count: 3))
        for _ in 0..<4 {
            #expect(try fixture.bind(fixture.code(number), to: login).status == 200)
            #expect(try server.delete("/api/users/me/accounts/phone", login).status == 204)
        }
        #expect(notices(to: mail).filter { $0 != Self.phoneChanged }.count == 6)
        #expect(notices(to: mail).filter { $0 == Self.phoneChanged }.count == 4)
        #expect(notices(to: number).count == 4)
        server.advanceClock(by: .seconds(86_400))
        let count = notices(to: mail).count
        _ = try logIn(mail, on: "Device z")
        #expect(notices(to: mail).count == count + 1)
    }

    @Test("A mail server that is down delays and fails nothing: the notice is sent later, also after a kill")
    func outage() throws {
        let (mail, number) = ("outage@example.com", fixture.newNumber())
        let login = try logIn(mail)
        let code = try fixture.code(number)
        try fixture.providers.control("/mail/faults", ["mode": "status", "status": 421])
        #expect(try fixture.bind(code, to: login).status == 200)
        #expect(try notices(to: mail).isEmpty && waiting() == 1)
        try server.restart()
        try fixture.providers.control("/mail/faults", [:])
        server.advanceClock(by: .seconds(61))
        server.sendNotices()
        #expect(try notices(to: mail) == [Self.linked] && waiting() == 0)
        #expect(try server.testDatabase.number("SELECT count(*) FROM notices WHERE address <> ''") == 0)
    }

    @Test("A notice whose process ended while it was sent is sent again, and of two nodes one sends it")
    func taken() throws {
        let mail = "taken@example.com"
        let login = try logIn(mail)
        server.sendsNotices.store(false, ordering: .relaxed)
        #expect(try fixture.bind(fixture.code(fixture.newNumber()), to: login).status == 200)
        #expect(try server.takeNotice() != nil && server.takeNotice() == nil)
        server.advanceClock(by: .seconds(61))
        let other = try InProcessServer(beside: server)
        _ = try Concurrently.run(2) { index in (index == 0 ? server : other).sendNotices() }
        #expect(notices(to: mail) == [Self.linked])
    }

    @Test("A notice that may have arrived is sent three times at most, and one that its receiver refuses once")
    func givenUp() throws {
        for (status, requests) in [(500, 3), (400, 1)] {
            let number = fixture.newNumber()
            let login = try fixture.logIn(phone: number)
            let code = try fixture.code(fixture.newNumber())
            let asked = try smsRequests()
            try fixture.providers.control("/sms/faults", ["mode": "status", "status": .integer(Int64(status))])
            #expect(try fixture.bind(code, to: login, ["replace": true]).status == 200)
            for _ in 0..<6 {
                server.advanceClock(by: .seconds(3600))
                server.sendNotices()
            }
            try fixture.providers.control("/sms/faults", [:])
            #expect(try smsRequests() - asked == requests && waiting() == 0)
        }
        let metrics = String(decoding: server.send(.get("/metrics")).body, as: UTF8.self)
        #expect(metrics.contains(#"gatehouse_owner_notices_total{notice="phone_changed",outcome="given_up"} 2"#))
        #expect(metrics.contains(#"gatehouse_owner_notices_total{notice="phone_changed",outcome="failed"} 2"#))
    }

    private func smsRequests() throws -> Int {
        try fixture.providers.control("/sms/requests", method: "GET")["requests"]?.array?.count ?? 0
    }

    @Test("The notice is written in the transaction of its change: what fails leaves none, and no log has an address")
    func transaction() throws {
        let mail = "transaction@example.com"
        let login = try logIn(mail)
        let code = try fixture.code(fixture.newNumber())
        try server.testDatabase.execute("ALTER TABLE audit_events RENAME TO gone")
        #expect(try fixture.bind(code, to: login).status == 503)
        try server.testDatabase.execute("ALTER TABLE gone RENAME TO audit_events")
        #expect(try waiting() == 0 && notices(to: mail).isEmpty)
        // Nor does a change happen of which nobody could be told.
        let again = try fixture.code(mail, channel: "email")
        try server.testDatabase.execute("ALTER TABLE notices RENAME TO gone")
        #expect(try fixture.bind(code, to: login).status == 503)
        var request = TestRequest.post("/api/auth/codes/\(again.id)", ["code": .string(again.text)])
        request.headers.append(("User-Agent", "Other"))
        #expect(server.send(request).status == 503)
        try server.testDatabase.execute("ALTER TABLE gone RENAME TO notices")
        #expect(try fixture.me(login)["phone"] == .null)
        #expect(try server.testDatabase.number("SELECT count(*) FROM refresh_tokens WHERE user_agent = 'Other'") == 0)
        #expect(try fixture.bind(code, to: login).status == 200)
        #expect(notices(to: mail) == [Self.linked])
        #expect(!server.log.contains("transaction@"))
        let metrics = String(decoding: server.send(.get("/metrics")).body, as: UTF8.self)
        #expect(metrics.contains(#"gatehouse_owner_notices_total{notice="account_linked",outcome="sent"} 1"#))
    }

    @Test("Switched off, or without a mail server, nobody is told of a new device; a former number is in every case")
    func off() throws {
        for adjust: @Sendable (inout [String: String]) -> Void in [
            { $0["ACCOUNT_NOTICES"] = "off" }, { $0["SMTP_URL"] = nil },
        ] {
            let test = try Self(adjust)
            let number = test.fixture.newNumber()
            let login = try test.fixture.logIn(phone: number)
            try test.server.testDatabase.execute(
                "UPDATE users SET email = 'off@example.com', email_verified = TRUE WHERE id = '\(login.userID)'")
            let code = try test.fixture.code(number)
            var request = TestRequest.post("/api/auth/codes/\(code.id)", ["code": .string(code.text)])
            request.headers.append(("User-Agent", "Other"))
            #expect(test.server.send(request).status == 200)
            let next = try test.fixture.code(test.fixture.newNumber())
            #expect(try test.fixture.bind(next, to: login, ["replace": true]).status == 200)
            #expect(!test.notices(to: "off@example.com").contains(Self.newDevice))
            #expect(try test.notices(to: number) == ["phone_changed"] && test.waiting() == 0)
        }
    }
}

import JSON
import StandIn
import StoreSupport
import TestSupport
import Testing

@testable import ServerSupport

@Suite("Numbers that get codes")
struct NumberKindTests {
    private func fixture(
        _ adjust: @escaping (inout [String: String]) -> Void = { _ in }
    ) throws -> (CodeFixture, InProcessServer) {
        let fixture = try CodeFixture(.handler) { settings in
            settings["PHONE_COUNTRIES"] = "CN,GB,US,AR,BR"
            adjust(&settings)
        }
        return (fixture, try #require(fixture.server as? InProcessServer))
    }

    /// Gives the number of a user another form, as an earlier version has stored it.
    private func rewrite(_ number: String, to other: String, on server: InProcessServer) throws {
        for (table, column) in [("auth_accounts", "provider_user_id"), ("users", "phone")] {
            try server.testDatabase.execute("UPDATE \(table) SET \(column) = '\(other)' WHERE \(column) = '\(number)'")
        }
    }

    private static let premium = ["+449012345678", "+19005550123", "+448001234567", "+443001234567", "+447012345678"]

    @Test("A landline gets a code only where PHONE_KINDS says so, and a premium number nowhere")
    func kinds() throws {
        let (landline, internet) = ("+442071234567", "+445612345678")
        let (fixture, server) = try fixture()
        let last = fixture.providers.inbox.lastNumber
        for number in [landline, internet, "+861012345678"] + Self.premium {
            let answer = try fixture.ask(number)
            #expect(fixture.refusal(answer) == "400 invalid_request", "\(number)")
            #expect(answer["errors"]?.array?.first?.object?["field"] == "to")
        }
        #expect(fixture.providers.inbox.lastNumber == last)
        #expect(try fixture.ask("+12125550123").status == 202, "may be mobile")
        try server.restart { $0["PHONE_KINDS"] = "fixed, voip" }
        for number in [landline, internet] { #expect(try fixture.ask(number).status == 202) }
        for number in Self.premium + [fixture.newNumber()] {
            #expect(try fixture.refusal(fixture.ask(number)) == "400 invalid_request", "\(number)")
        }
    }

    @Test(
        "A number that an account has gets codes, whatever the table says of it, and no other such number does",
        arguments: [
            "+442071234567", "+12121551234", "+447012345678", "+4412345678", "+8613800138", "+19005550123",
            "+14165550123",
        ])
    func existing(number: String) throws {
        let (fixture, server) = try fixture()
        let login = try fixture.logIn(phone: "+447400123456")
        try rewrite("+447400123456", to: number, on: server)
        let again = try fixture.logIn(phone: number)
        #expect(again.status == 200 && again.userID == login.userID)
        #expect(try fixture.me(again)["phone"]?.string == number)
        let other = String(number.dropLast()) + (number.hasSuffix("8") ? "9" : "8")
        #expect(try fixture.ask(other).status >= 400)
        // The operator has closed the calling code.
        try server.restart { $0["PHONE_COUNTRIES"] = "FR" }
        #expect(try fixture.ask(number).status >= 400)
    }

    @Test(
        "One mobile number of Argentina or Brazil is one account, with and without its 9",
        arguments: [("+5491123456789", "+541123456789"), ("+5511987654321", "+551187654321")])
    func nine(long: String, short: String) throws {
        let (fixture, server) = try fixture { $0["CODES_PER_ADDRESS"] = "100/1h" }
        func logIn(_ written: String, to: String) throws -> String {
            let last = fixture.providers.inbox.lastNumber
            let answer = try fixture.ask(written)
            let message = try #require(fixture.providers.inbox.message(to: to, after: last))
            let login = try fixture.logIn(SentTestCode(id: answer["codeId"]?.string ?? "", text: message.code ?? ""))
            #expect(try fixture.me(login)["phone"]?.string == to)
            return login.userID
        }
        let user = try logIn(short, to: long)
        #expect(try logIn(long, to: long) == user)
        // An account of an earlier version is found under the form that it has.
        try rewrite(long, to: short, on: server)
        for written in [short, long] { #expect(try logIn(written, to: short) == user) }
        // Binding it to another user is refused in either form.
        let other = try fixture.logIn(phone: fixture.newNumber())
        for written in [short, long] {
            let last = fixture.providers.inbox.lastNumber
            let answer = try fixture.ask(written)
            let text = try #require(fixture.providers.inbox.message(to: short, after: last)?.code)
            let code = SentTestCode(id: answer["codeId"]?.string ?? "", text: text)
            #expect(try fixture.bind(code, to: other, ["replace": true]).status == 409)
        }
        #expect(try server.testDatabase.number("SELECT count(*) FROM users") == 2)
        // Where both forms have an account, each user gets in by the form of theirs.
        try rewrite(other["user"]?.object?["phone"]?.string ?? "", to: long, on: server)
        #expect(try logIn(long, to: long) == other.userID)
        #expect(try logIn(short, to: short) == user)
    }
}

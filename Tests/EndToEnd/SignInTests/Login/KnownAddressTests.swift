import JSON
import StandIn
import StoreSupport
import Testing

@testable import ServerSupport

/// One person who signs in in two ways becomes two users. The answer says so while the second one is empty.
@Suite("A new user with a known address")
struct KnownAddressTests {
    private let fixture: CodeFixture
    private let server: InProcessServer

    init() throws {
        fixture = try CodeFixture()
        server = try #require(fixture.server as? InProcessServer)
    }

    private func code(_ address: String) throws -> TestResponse {
        try fixture.logIn(fixture.code(address, channel: "email"))
    }

    private func apple(_ email: String?, verified: JSONValue = true, hint: String? = nil) throws -> TestResponse {
        var login = server.apple.login("\(email ?? "") \(hint ?? "") \(verified)") {
            $0.claims = ["email": email.map(JSONValue.string) ?? .null, "email_verified": verified]
        }
        if let hint { login["email"] = .string(hint) }
        return server.send(.post("/api/auth/apple", login))
    }

    /// The member of a login that has succeeded.
    private func expect(
        _ login: TestResponse, isNew: Bool = true, _ member: JSONValue?,
        sourceLocation: SourceLocation = #_sourceLocation
    ) {
        #expect(login.status == 200 && login["isNewUser"] == .bool(isNew), sourceLocation: sourceLocation)
        #expect(login["knownAddress"] == member, sourceLocation: sourceLocation)
    }

    @Test("The login says it where both have proven the address, in any case of letters, and only the first time")
    func known() throws {
        let first = try apple("Ann@Example.com")
        expect(first, nil)
        let second = try code("ann@example.com")
        expect(second, true)
        #expect(second.userID != first.userID && !second.json.description.contains(first.userID))
        server.advanceClock(by: .seconds(61))
        expect(try code("ann@example.com"), isNew: false, nil)
        expect(try code("bob@example.com"), nil)
        expect(try apple("bob@example.com"), true)
    }

    @Test("An address that one of the two has not proven is not known")
    func unproven() throws {
        expect(try apple("unproven@example.com", verified: false), nil)
        expect(try server.devLogin("unproven@example.com"), nil)
        expect(try apple(nil, hint: "unproven@example.com"), nil)
        expect(try code("unproven@example.com"), nil)
        expect(try apple("unproven@example.com", verified: "no"), nil)
        expect(try apple(nil, hint: "unproven@example.com"), isNew: false, nil)
        expect(try server.devLogin("unproven@example.com"), isNew: false, nil)
        expect(try fixture.logIn(phone: fixture.newNumber()), nil)
    }

    @Test("Letters other than A to Z differ by case, as everywhere: a Kelvin sign is no K")
    func otherLetters() throws {
        expect(try code("kim@example.com"), nil)
        expect(try apple("\u{212A}im@example.com"), nil)
        expect(try apple("kIM@example.com"), true)
    }

    @Test("A user who is deleted or disabled is not told of", arguments: ["DELETED", "DISABLED"])
    func inactive(status: String) throws {
        let address = "\(status.lowercased())@example.com"
        let former = try apple(address)
        if status == "DELETED" {
            #expect(try server.delete("/api/users/me", former).status == 204)
        } else {
            try server.testDatabase.execute("UPDATE users SET status = 'DISABLED' WHERE id = '\(former.userID)'")
        }
        expect(try code(address), nil)
    }

    @Test("The address of any account of the other user counts, until the account is gone")
    func account() throws {
        let older = try apple("relay@example.com")
        let bound = try fixture.bind(fixture.code("own@example.com", channel: "email"), to: older, channel: "email")
        #expect(bound.status == 200, "\(bound.json)")
        expect(try apple("own@example.com"), true)

        let former = try apple("relay2@example.com")
        let gone = try fixture.bind(fixture.code("gone@example.com", channel: "email"), to: former, channel: "email")
        #expect(gone.status == 200, "\(gone.json)")
        try server.testDatabase.execute("DELETE FROM auth_accounts WHERE email = 'gone@example.com'")
        expect(try apple("gone@example.com"), nil)
    }
}

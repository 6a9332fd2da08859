import Gatehouse
import JSON
import StoreSupport
import TestSupport
import Testing

@Suite("gatehouse users sessions and sessions revoke")
struct SessionsTests {
    private static let thumbprint = "0ZcOCORZNYy-DWpqq30jZyJGHTN0d2HglBV3uiguA4I"

    private let registry: Registry

    init() throws {
        registry = try Registry()
        let user = try registry.add(
            "1", email: "ada@example.com", device: Device(userAgent: "App/1 \u{1B}[31m", address: "192.0.2.1"))
        try addSession("later", of: user, after: 60, boundTo: Self.thumbprint)
        try registry.add("2")
    }

    private func addSession(_ name: String, of user: User, after seconds: Int, boundTo key: String) throws {
        let moment = Registry.noon + .seconds(seconds)
        let session = Session(
            id: SessionID("sess_" + name), userID: user.id, provider: .apple, clientID: "com.example.app",
            device: .unknown, createdAt: moment,
            token: SessionToken(
                generation: 1, random: [1], issuedAt: moment, expiresAt: Registry.farFuture, hash: [1]),
            keyThumbprint: key)
        let identity = Identity(provider: .apple, subject: String(user.id.text.dropFirst(5)), email: nil)
        #expect(try registry.store.record(LoginFixture(of: user, session, as: identity)) == .recorded(user, ended: []))
    }

    @Test("users sessions lists the sessions, the last used first, and whether each is bound to a key")
    func list() throws {
        let outcome = try registry.run("users", "sessions", "Ada@example.com")
        #expect(outcome.status == 0)
        #expect(
            outcome.text == """
                ID          PROVIDER  CREATED                   LAST USED                 EXPIRES                   BOUND  ADDRESS    DEVICE            LAST ADDRESS  LAST DEVICE
                sess_later  APPLE     2025-10-09T08:54:20.000Z  2025-10-09T08:54:20.000Z  2096-10-02T07:06:40.000Z  yes    -          -                 -             -
                sess_1      APPLE     2025-10-09T08:53:20.000Z  2025-10-09T08:53:20.000Z  2096-10-02T07:06:40.000Z  -      192.0.2.1  App/1 \\u{1b}[31m  192.0.2.1     App/1 \\u{1b}[31m

                """)
        let json = try #require(try registry.json("users", "sessions", "user_1").object?["sessions"]?.array)
        #expect(json.map { $0.object?["id"] } == ["sess_later", "sess_1"])
        let members = [
            "id", "userId", "provider", "clientId", "device", "address", "lastDevice", "lastAddress", "createdAt",
            "lastUsedAt", "expiresAt", "bound", "jkt",
        ]
        #expect(json[0].object?.names == members && json.map { $0.object?["bound"] } == [true, false])
        #expect(json.map { $0.object?["jkt"] } == [.string(Self.thumbprint), .null])
        #expect(json[0].object?["device"] == .null && json[1].object?["device"] == "App/1 \u{1B}[31m")
    }

    @Test("sessions revoke ends one session, and reports one that had ended already")
    func one() throws {
        #expect(try registry.run("sessions", "revoke", "sess_1").text == "sess_1 ended\n")
        let again = try registry.run("sessions", "revoke", "sess_1")
        #expect(again.status == 0 && again.text == "sess_1 had ended already\n")
        #expect(try registry.json("users", "sessions", "user_1").object?["sessions"]?.array?.count == 1)
        #expect(try registry.store.session(SessionID("sess_1"))?.session.revokeReason == .revoked)
    }

    @Test("sessions revoke ends the known sessions, and exits 1 for an unknown id")
    func several() throws {
        let outcome = try registry.run("sessions", "revoke", "sess_1", "sess_x\u{1B}", "sess_2")
        #expect(outcome.status == 1 && outcome.text == "sess_1 ended\nsess_x\\u{1b} is not a session\nsess_2 ended\n")
        let json = try registry.json("sessions", "revoke", "sess_1", "sess_x", "sess_later")
        let expected: JSONValue = [
            ["id": "sess_1", "known": true, "revoked": false], ["id": "sess_x", "known": false, "revoked": false],
            ["id": "sess_later", "known": true, "revoked": true],
        ]
        #expect(json == ["sessions": expected])
    }

    @Test("sessions revoke --user ends only the sessions of that user")
    func all() throws {
        #expect(try registry.run("sessions", "revoke", "--user", "ada@example.com").text == "user_1: 2 ended\n")
        let again = try registry.run("sessions", "revoke", "--user", "user_1")
        #expect(again.status == 0 && again.text == "user_1: no active session\n")
        #expect(try registry.json("sessions", "revoke", "--user", "user_2") == ["userId": "user_2", "revoked": 1])
        try registry.run("sessions", "revoke", "--user", "unknown@example.com").expect(1)
    }
}

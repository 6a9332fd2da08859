import JOSE
import JSON
import TestSupport
import Testing

@testable import DevelopmentHTTP
@testable import StandIn

@Suite("Transferring the app to the other team of the fake Apple")
struct TransferTests {
    private typealias Answer = (status: String, json: JSONObject?, body: [UInt8])

    private var standIn: StandInFixture

    init() throws {
        standIn = try StandInFixture()
    }

    /// A client secret of the first team, or of the other one.
    private func secret(_ team: Int) throws -> String {
        guard team == 1 else { return try standIn.secret() }
        let keyID = DeveloperAccount.otherKeyID
        let pem = try Text.read(standIn.folder.file("AuthKey_\(keyID).p8"))
        return try standIn.secret(
            claims: ["iss": .string(DeveloperAccount.otherTeamID)], header: ["kid": .string(keyID)],
            key: try SigningKey(pem: pem, keyID: keyID))
    }

    private func token(_ team: Int, scope: String? = "user.migration") throws -> Answer {
        try standIn.post(
            "/auth/token",
            [
                "client_id": StandInFixture.app, "client_secret": try secret(team),
                "grant_type": "client_credentials", "scope": scope,
            ])
    }

    private func migrate(_ team: Int, _ fields: [String: String], token given: String? = nil) throws -> JSONObject? {
        let token = try given ?? token(team).json?["access_token"]?.string ?? ""
        let secret = try secret(team)
        let form = fields.merging(["client_id": StandInFixture.app, "client_secret": secret]) { $1 }
        let body = form.map { "\($0)=\($1)" }.joined(separator: "&")
        let reply = standIn.reply(
            "POST", "/auth/usermigrationinfo", body, type: "application/x-www-form-urlencoded",
            fields: ["authorization": "Bearer " + token])
        return (try? JSONValue(parsing: try #require(reply).body))?.object
    }

    private func export(_ person: String) throws -> String {
        try #require(try migrate(0, ["sub": person, "target": "FAKEAPPLE2"])?["transfer_sub"]?.string)
    }

    private func control(_ body: JSONObject) -> String? {
        standIn.reply("POST", "/transfer", body.description, type: "application/json")?.status
    }

    private func login(_ person: String) throws -> JSONObject {
        var order = MintOrder(audience: StandInFixture.app)
        order.subject = person
        return try standIn.claims(of: standIn.apple.login(order)["identityToken"])
    }

    @Test("after 60 days tokens have no transfer subject, and no team can move users")
    func closedWindow() throws {
        let transfer = try export("ann")
        _ = control(["to": "FAKEAPPLE2"])
        #expect(try export("ann") == transfer, "within them, the former team can")
        #expect(control(["window": "closed"]) == "200 OK")
        #expect(try login("ann")["transfer_sub"] == nil && login("ann")["sub"] != "ann")
        #expect(try migrate(1, ["transfer_sub": transfer])?["error"] == "invalid_request")
        #expect(try token(0).json?["error"] == "invalid_client")
        #expect(control(["to": "FAKEAPPLE1"]) == "200 OK" && control(["to": "FAKEAPPLE2"]) == "200 OK")
        #expect(try migrate(1, ["transfer_sub": transfer])?["sub"] != nil, "transferred back and again")
    }

    @Test("only the team that owns the app can exchange codes, and only the owner can import")
    func owner() throws {
        #expect(try token(1).json?["error"] == "invalid_client")
        let code = try standIn.code()
        let transfer = try export("ann")
        _ = control(["to": "FAKEAPPLE2"])
        #expect(try standIn.exchange(code).json?["error"] == "invalid_client")
        #expect(try migrate(0, ["transfer_sub": transfer])?["error"] == "invalid_request")
    }

    @Test("errors are those of Apple's documentation")
    func errors() throws {
        #expect(try token(0, scope: "x").json?["error"] == "invalid_scope")
        #expect(try token(0, scope: nil).json?["error"] == "invalid_request")
        #expect(try migrate(0, ["sub": "ann", "target": "FAKEAPPLE1"])?["error"] == "invalid_request")
        #expect(try migrate(0, ["sub": "ann"])?["error"] == "invalid_request")
        #expect(try migrate(0, ["sub": "ann", "target": "FAKEAPPLE2"], token: "x")?["error"] == "invalid_grant")
        let token = try #require(try token(0).json?["access_token"]?.string)
        standIn.advance(by: 3600)
        #expect(try migrate(0, ["sub": "ann", "target": "FAKEAPPLE2"], token: token)?["error"] == "invalid_grant")
        _ = control(["revoked": ["ann"]])
        #expect(try migrate(0, ["sub": "ann", "target": "FAKEAPPLE2"])?["error"] == "invalid_request")
        #expect(try migrate(0, ["sub": "bob", "target": "FAKEAPPLE2"])?["transfer_sub"] != nil)
    }

    @Test("a notification after the transfer has the subject that the owner knows")
    func notification() throws {
        _ = control(["to": "FAKEAPPLE2"])
        let order = NotificationOrder(type: "email-disabled", subject: "ann", audience: StandInFixture.app)
        let claims = try standIn.claims(of: standIn.apple.notification(order)["payload"])
        let event = try JSONValue(parsing: try #require(claims["events"]?.string)).object
        #expect(try event?["sub"] == login("ann")["sub"])
    }

    @Test("a restart does not give the app back")
    mutating func restart() throws {
        _ = control(["to": "FAKEAPPLE2", "revoked": ["bob"]])
        let before = try login("ann")["sub"]
        try standIn.restart()
        #expect(try login("ann")["sub"] == before)
        let reply = try #require(standIn.reply("GET", "/transfer"))
        let state = try JSONValue(parsing: reply.body).object
        #expect(state?["owner"] == "FAKEAPPLE2" && state?["window"] == "open" && state?["revoked"] == ["bob"])
    }

    @Test(
        "an order that makes no sense is refused",
        arguments: [["to": "FAKEAPPLE1"], ["to": "x"], ["window": "closed"], ["window": "x"], ["x": 1]] as [JSONObject])
    func orders(order: JSONObject) {
        #expect(control(order) == "400 Bad Request")
        #expect((try? login("ann")["sub"]) == "ann")
    }
}

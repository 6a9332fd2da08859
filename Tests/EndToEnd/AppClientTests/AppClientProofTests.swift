import Foundation
import FoundationNetworking
import GatehouseClient
import Testing

@testable import ServerSupport

/// What the client does when the server refuses a proof.
@Suite("App: refused proofs")
struct AppClientProofTests {
    private let app = BoundAppFixture()

    /// The time of the server as a header, when the device's clock is wrong by so many seconds.
    private func time(ahead seconds: TimeInterval = 0) -> [String: String] {
        let format = DateFormatter()
        format.locale = Locale(identifier: "en_US_POSIX")
        format.timeZone = TimeZone(identifier: "GMT")
        format.dateFormat = "EEE, dd MMM yyyy HH:mm:ss 'GMT'"
        return ["Date": format.string(from: Date().addingTimeInterval(seconds))]
    }

    /// How far the time of the last proof is from the right one. A slow machine adds minutes.
    private func error(in path: String) -> Double {
        let issued = app.server.seen(path).last?.proof?.issuedAt ?? 0
        return Double(issued) - Date().timeIntervalSince1970
    }

    // MARK: Nonces

    @Test("A login, a refresh, a request and a logout that lack the server's nonce are sent again with it")
    func nonce() async throws {
        for (number, path) in ["dev-login", "notes", "refresh", "logout"].enumerated() {
            app.server.plan(path, .refuse("nonce", headers: ["DPoP-Nonce": "n\(number)"]))
        }
        let client = try await app.signedIn()
        #expect(try await client.send(app.request()).1.statusCode == 200)
        app.expireToken()
        _ = try await client.accessToken()
        #expect(await client.signOut() == .delivered)
        let nonces = app.server.seen().map { $0.proof?["nonce"] }
        #expect(nonces == [nil, "n0", "n0", "n1", "n1", "n2", "n2", "n3"])
        #expect(app.server.faults == [])
    }

    @Test("The nonce of an answer is in the next proof for that server, and in none for another one")
    func rememberedNonce() async throws {
        let client = app.client(trustedOrigins: [URL(string: "https://files.example.com")!])
        try await client.signIn(development: app.login)
        app.server.plan("notes", .answer(200, headers: ["DPoP-Nonce": "own"]))
        _ = try await client.send(app.request())
        for path in ["/notes", "https://files.example.com/a", "/notes"] { _ = try await client.send(app.request(path)) }
        #expect(app.server.seen().map { $0.proof?["nonce"] } == [nil, nil, "own", nil, "own"])
    }

    @Test("A service that verifies proofs itself may demand a nonce without a problem document")
    func nonceOfService() async throws {
        let client = try await app.signedIn()
        let challenge = #"DPoP error="use_dpop_nonce", error_description="Resource server requires nonce""#
        app.server.plan("notes", .answer(401, headers: ["WWW-Authenticate": challenge, "DPoP-Nonce": "n"]))
        #expect(try await client.send(app.request()).1.statusCode == 200)
        #expect(app.server.seen("notes").map { $0.proof?["nonce"] } == [nil, "n"])
        #expect(app.server.seen("refresh").isEmpty)
    }

    @Test("A server that demands a nonce for ever is asked once more, and refuses")
    func endlessNonce() async throws {
        let client = try await app.signedIn()
        let refusal = BoundServer.Plan.refuse("nonce", headers: ["DPoP-Nonce": "n"])
        app.server.plan("notes", refusal, refusal, refusal)
        #expect(try await client.send(app.request()).1.statusCode == 401)
        #expect(app.server.seen("notes").count == 2 && app.server.seen("refresh").isEmpty)
    }

    // MARK: Clocks

    @Test(
        "With a wrong clock, the proof has the server's time at the second attempt, and each later one at once",
        arguments: [-86400.0, 86400])
    func wrongClock(seconds: TimeInterval) async throws {
        app.clock.setWrong(by: seconds)
        app.server.plan("dev-login", .refuse(seconds < 0 ? "expired" : "not_yet_valid", headers: time()))
        let client = try await app.signedIn()
        #expect(app.server.seen("dev-login").count == 2)
        #expect(abs(error(in: "dev-login")) < 7200)
        _ = try await client.send(app.request())
        #expect(app.server.seen("notes").count == 1 && abs(error(in: "notes")) < 7200)
    }

    @Test("When the device's clock has been set right, the time of the server is taken anew")
    func correctedClock() async throws {
        app.clock.setWrong(by: -86400)
        app.server.plan("dev-login", .refuse("expired", headers: time()))
        let client = try await app.signedIn()
        app.clock.setWrong(by: 86400)
        app.server.plan("notes", .refuse("not_yet_valid", headers: time()))
        #expect(try await client.send(app.request()).1.statusCode == 200)
        #expect(abs(error(in: "notes")) < 7200)
    }

    @Test(
        "Where the server's time does not help, the refusal is the caller's, the session stays, and the time is forgotten"
    )
    func uselessTime() async throws {
        let client = try await app.signedIn()
        app.expireToken()
        app.server.plan("refresh", .refuse("expired", headers: time(ahead: 7200)), .refuse("expired", headers: time()))
        let error = await #expect(throws: GatehouseError.self) { try await client.accessToken() }
        guard case .refused(let problem) = error else { return #expect(Bool(false), "\(error as Any)") }
        #expect(problem.code == .invalidDPoPProof && problem.proofReason == .expired)
        guard case .signedIn = client.state else { return #expect(Bool(false), "\(client.state)") }
        _ = try await client.accessToken()
        // The app's clock is an hour ahead of the server's here.
        #expect(abs(self.error(in: "refresh") - 3600) < 7200)
    }

    @Test("A refusal for the time without the server's time is the caller's")
    func noTime() async throws {
        let client = try await app.signedIn()
        app.server.plan("notes", .refuse("expired"))
        #expect(try await client.send(app.request()).1.statusCode == 401)
        #expect(app.server.seen("notes").count == 1)
    }

    // MARK: Other reasons

    @Test("A proof that the network has repeated is replaced once")
    func replayed() async throws {
        let client = try await app.signedIn()
        app.expireToken()
        app.server.plan("refresh", .refuse("replayed"))
        app.server.plan("me", .refuse("replayed"), .refuse("replayed"))
        await #expect(throws: GatehouseError.self) { try await client.user() }
        #expect(app.server.seen("refresh").count == 2 && app.server.seen("me").count == 2)
        #expect(app.server.faults == [])
        #expect(try await client.user().id == "user_1")
    }

    @Test("Several causes one after another are each overcome")
    func several() async throws {
        app.server.plan(
            "dev-login", .refuse("replayed"), .refuse("nonce", headers: ["DPoP-Nonce": "n"]),
            .refuse("expired", headers: time()), .loseAnswer)
        _ = try await app.signedIn()
        #expect(app.server.seen("dev-login").count == 5 && app.server.faults == [])
    }

    @Test("A service that refuses a proof without a reason gets another one")
    func noReason() async throws {
        let client = try await app.signedIn()
        let headers = ["WWW-Authenticate": #"DPoP error="invalid_dpop_proof", algs="ES256 EdDSA""#]
        app.clock.setWrong(by: 7200)
        app.server.plan("notes", .answer(401, headers: headers.merging(time()) { $1 }))
        #expect(try await client.send(app.request()).1.statusCode == 200)
        #expect(app.server.seen("notes").count == 2 && abs(error(in: "notes")) < 7200)
    }

    @Test(
        "Any other refusal of a proof is the caller's: no refresh, no other attempt, and the session stays",
        arguments: ["missing", "malformed", "algorithm", "signature", "method", "url", "access_token", "of_tomorrow"])
    func other(reason: String) async throws {
        let client = try await app.signedIn()
        app.server.plan("me", .refuse(reason))
        let error = await #expect(throws: GatehouseError.self) { try await client.user() }
        guard case .refused(let problem) = error else { return #expect(Bool(false), "\(error as Any)") }
        #expect(problem.proofReason == ProofReason(rawValue: reason))
        #expect(app.server.seen("me").count == 1 && app.server.seen("refresh").isEmpty)
        app.expireToken()
        app.server.plan("refresh", .refuse(reason))
        await #expect(throws: GatehouseError.refused(problem)) { try await client.accessToken() }
        guard case .signedIn = client.state else { return #expect(Bool(false), "\(client.state)") }
        _ = try await client.user()
    }

    @Test("A login whose proof is refused for another reason fails, and the next one has the same key")
    func refusedLogin() async throws {
        let client = app.client()
        app.server.plan("dev-login", .refuse("of_tomorrow"))
        await #expect(throws: GatehouseError.self) { try await client.signIn(development: app.login) }
        try await client.signIn(development: app.login)
        #expect(Set(app.server.seen("dev-login").map { $0.proof?.key }).count == 1 && app.keys.made == 1)
    }

    @Test(
        "A login whose proofs the server can never accept is sent once more without one, which is reported",
        arguments: ["url", "method", "malformed", "algorithm", "signature"])
    func unboundLogin(reason: String) async throws {
        let client = app.client()
        var failures = client.storeFailures.makeAsyncIterator()
        app.server.plan("dev-login", .refuse(reason))
        let session = try await client.signIn(development: app.login)
        #expect(await failures.next()?.description.contains(reason) == true)
        #expect(client.state == .signedIn(session) && app.keys.names == [])
        _ = try await client.send(app.request())
        #expect(app.server.seen().map { $0.proof != nil } == [true, false, false])
    }

    @Test("A body that is a stream is not sent again with another proof, and the next request has the nonce")
    func stream() async throws {
        let client = try await app.signedIn()
        app.server.plan("notes", .refuse("nonce", headers: ["DPoP-Nonce": "n"]))
        var request = app.request("/notes", "POST")
        request.httpBodyStream = InputStream(data: Data("a".utf8))
        #expect(try await client.send(request).1.statusCode == 401)
        #expect(try await client.send(app.request()).1.statusCode == 200)
        #expect(app.server.seen("notes").map { $0.proof?["nonce"] } == [nil, "n"])
    }

    @Test("After a redirect that the transport has followed, the request is sent to its target with a proof for it")
    func redirect() async throws {
        let client = try await app.signedIn()
        let target = URL(string: "https://api.example.com/notes/")!
        guard case .answer(let status, let headers, let body, _) = BoundServer.Plan.refuse("url") else { return }
        app.server.plan("notes", .answer(status, headers: headers, body: body, url: target))
        #expect(try await client.send(app.request("/notes")).1.statusCode == 200)
        #expect(app.server.seen("notes/").count + app.server.seen("notes").count >= 2)
        #expect(app.server.seen().last?.proof?["htu"] == target.absoluteString)
        #expect(app.server.faults == [])
    }
}

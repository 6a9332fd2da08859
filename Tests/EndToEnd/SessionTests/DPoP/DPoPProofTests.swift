import Foundation
import JSON
import TestSupport
import Testing

@testable import ServerSupport

/// Proofs that Authlib makes, right ones and wrong ones.
@Suite("Proofs of another library")
struct DPoPProofTests {
    private static let keyTypes = ["P-256", "Ed25519"]

    /// Tests of proofs share the server, and each has a session of its own.
    private static let server = Result { try InProcessServer() }

    @Test("A proof binds a session, and each request has a new one", arguments: keyTypes)
    func right(_ type: String) throws {
        var client = try BoundClient(at: SharedServers.standard(.nginx), "right-\(type)@example.com", key: type)
        let thumbprint = try ProofMaker.shared.get().make(ProofOrder(client.key, "GET", "x")).thumbprint
        #expect(client.tokens.accessClaims["cnf"] == ["jkt": .string(thumbprint)])
        for _ in 0..<3 { try client.refresh() }
        #expect(client.tokens.accessClaims["cnf"] == ["jkt": .string(thumbprint)])
        #expect(try client.send(.patchUser("Ada", bearer: client.tokens.accessToken)).status == 200)
        #expect(try client.send(.post("/api/auth/logout", bearer: client.tokens.accessToken)).status == 204)
        #expect(try !client.isSignedIn)
    }

    @Test("A wrong proof refreshes nothing, and the session goes on", arguments: WrongProof.all)
    func wrong(_ wrong: WrongProof) throws {
        let server = try Self.server.get()
        for type in wrong.keyType.map({ [$0] }) ?? Self.keyTypes {
            let client = try BoundClient(at: server, "wrong@example.com", key: type)
            let request = TestRequest.refresh(client.tokens.refreshToken)
            let answer = server.send(try Self.sent(request, by: client, wrong))
            expectRefusedProof(answer, wrong.reason, "\(wrong.testDescription), \(type)")
            let next = try client.refreshed()
            #expect(next.status == 200 && next.generation == 2, "\(next.json)")
        }
    }

    private static func sent(
        _ request: TestRequest, by client: BoundClient, _ wrong: WrongProof
    ) throws -> TestRequest {
        var fault: (any Error)?
        let sent = try request.proven(by: client.key, at: client.server) { order in
            do { try wrong.change(&order) } catch { fault = error }
        }
        if let fault { throw fault }
        return sent
    }

    @Test("A wrong proof at a login makes no session", arguments: WrongProof.all.sampled(every: 5))
    func wrongAtLogin(_ wrong: WrongProof) throws {
        // The URL of the refresh is a wrong one anyway.
        guard wrong.reason != "url" else { return }
        let server = try Self.server.get()
        let email = "\(UUID())@example.com"
        let key = "\(UUID()):\(wrong.keyType ?? "P-256")"
        let answer = server.send(
            try TestRequest.devLogin(email).proven(by: key, at: server) { order in try? wrong.change(&order) })
        expectRefusedProof(answer, wrong.reason)
        let login = try server.devLogin(email)
        #expect(login["isNewUser"] == true && login["tokenType"] == "Bearer")
    }

    @Test(
        "What is not a JWT is refused, whatever it is",
        arguments: ["x", "a.b.c", "eyJ9.e30.AA", " ", "\u{7F}", String(repeating: ".", count: 3000)])
    func notAToken(_ text: String) throws {
        let server = try Self.server.get()
        let client = try BoundClient(at: server, "text@example.com")
        var request = TestRequest.refresh(client.tokens.refreshToken)
        request.headers.append(("DPoP", text))
        expectRefusedProof(server.send(request.sentAgain), "malformed", text)
        #expect(try client.refreshed().status == 200)
    }

    @Test("A right proof may differ in form")
    func form() throws {
        let forms: [(name: String, change: (inout ProofOrder) -> Void)] = [
            (
                "another spelling of the URL",
                { order in
                    let url = order.url.replacing("https://api.example.com/", with: "HTTPS://API.Example.com:443/")
                    order.claims["htu"] = .string(url + "?a=b#c")
                }
            ),
            ("a long id", { $0.claims["jti"] = .string(String(repeating: "é", count: 128)) }),
            ("a nonce that the server has not demanded", { $0.claims["nonce"] = "x" }),
            (
                "further claims and members",
                { order in
                    order.claims["exp"] = 1
                    order.header["jku"] = "https://example.net/keys"
                }
            ),
        ]
        for form in forms {
            let client = try BoundClient(at: Self.server.get(), "form@example.com")
            let answer = try client.send(.refresh(client.tokens.refreshToken), form.change)
            #expect(answer.status == 200, "\(form.name): \(answer.json)")
        }
    }

    @Test("With PUBLIC_URL, the URL has its origin, whatever host the request names")
    func publicURL() throws {
        let server = try InProcessServer { $0["PUBLIC_URL"] = "https://login.example.com:8443" }
        func send(_ origin: String) throws -> TestResponse {
            let login = TestRequest.devLogin("public@example.com")
            return server.send(try login.proven(by: "public:P-256", at: server) { $0.url = origin + login.path })
        }
        #expect(try send("https://login.example.com:8443").status == 200)
        for origin in [TestRequest.origin, "https://login.example.com", "http://login.example.com:8443"] {
            expectRefusedProof(try send(origin), "url", origin)
        }
    }

    // MARK: - The hash of the access token

    @Test("With an access token, a proof has its hash")
    func hash() throws {
        let server = try Self.server.get()
        var client = try BoundClient(at: server, "hash@example.com")
        let earlier = client.tokens.accessToken
        try client.refresh()
        let request = TestRequest.patchUser("Ada", bearer: client.tokens.accessToken)
        let wrong: [(inout ProofOrder) -> Void] = [
            { $0.token = nil }, { $0.token = earlier }, { $0.claims["ath"] = "" }, { $0.claims["ath"] = "AAAA" },
            { $0.token = ($0.token ?? "") + "=" },
        ]
        for change in wrong { expectRefusedProof(try client.send(request, change), "access_token") }
        #expect(try client.send(request).status == 200)
    }
}

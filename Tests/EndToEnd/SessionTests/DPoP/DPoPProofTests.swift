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

    @Test("A proof binds a session, and each request has a new one", arguments: TestEnvironment.allCases, keyTypes)
    func right(_ environment: TestEnvironment, _ type: String) throws {
        let server = try SharedServers.standard(environment)
        var client = try BoundClient(at: server, "right-\(environment)-\(type)@example.com", key: type)
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
        arguments: [
            "x", ".", "..", "a.b.c", "a.b.c.d", "eyJ9.e30.AA", " ", "\u{7F}", String(repeating: ".", count: 3000),
        ])
    func notAToken(_ text: String) throws {
        let server = try Self.server.get()
        let client = try BoundClient(at: server, "text@example.com")
        var request = TestRequest.refresh(client.tokens.refreshToken)
        request.headers.append(("DPoP", text))
        expectRefusedProof(server.send(request.sentAgain), "malformed", text)
        #expect(try client.refreshed().status == 200)
    }

    @Test("Two proofs in one header are refused")
    func twoProofs() throws {
        let server = try Self.server.get()
        let client = try BoundClient(at: server, "two@example.com")
        let requests = try (0..<2).map { _ in
            try TestRequest.refresh(client.tokens.refreshToken).proven(by: client.key, at: server)
        }
        var request = requests[0]
        request.headers = [("Content-Type", "application/json")]
        request.headers.append(("DPoP", requests.compactMap { $0.header("DPoP") }.joined(separator: ", ")))
        expectRefusedProof(server.send(request), "malformed")
    }

    struct RightProof: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let change: @Sendable (inout ProofOrder) -> Void

        init(_ name: String, _ change: @escaping @Sendable (inout ProofOrder) -> Void) {
            (testDescription, self.change) = (name, change)
        }
    }

    private static func url(_ change: @escaping @Sendable (String) -> String) -> @Sendable (inout ProofOrder) -> Void {
        { $0.claims["htu"] = .string(change($0.url)) }
    }

    private static let rightProofs = [
        RightProof("a query", url { $0 + "?a=b" }), RightProof("a fragment", url { $0 + "#a" }),
        RightProof("a query and a fragment", url { $0 + "?a=b#c" }),
        RightProof("upper case in the host", url { $0.replacing("api.example.com", with: "API.Example.com") }),
        RightProof("upper case in the scheme", url { $0.replacing("https", with: "HTTPS") }),
        RightProof("the default port", url { $0.replacing("example.com/", with: "example.com:443/") }),
        RightProof("30 s old") { $0.age = 30 }, RightProof("55 s from the future") { $0.age = -55 },
        RightProof("a time with a fraction") { $0.claims["iat"] = .number(Date().timeIntervalSince1970) },
        RightProof("a long id") { $0.claims["jti"] = .string(String(repeating: "é", count: 128)) },
        RightProof("a nonce that nobody demands") { $0.claims["nonce"] = "x" },
        RightProof("further claims and members") { order in
            order.claims["exp"] = 1
            order.header["jku"] = "https://example.net/keys"
        },
    ]

    @Test("A right proof may differ in form", arguments: rightProofs)
    func form(_ right: RightProof) throws {
        let server = try Self.server.get()
        let client = try BoundClient(at: server, "form@example.com")
        let answer = server.send(
            try TestRequest.refresh(client.tokens.refreshToken).proven(by: client.key, at: server, right.change))
        #expect(answer.status == 200, "\(answer.json)")
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

    @Test("A refresh needs no hash, and one in its proof is ignored")
    func noHash() throws {
        let server = try Self.server.get()
        let client = try BoundClient(at: server, "no-hash@example.com")
        let request = TestRequest.refresh(client.tokens.refreshToken)
        #expect(try client.send(request) { $0.token = client.tokens.accessToken }.status == 200)
    }
}

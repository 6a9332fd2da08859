import Foundation
import JSON
import TestSupport
import Testing

@testable import ServerSupport

/// `DPOP_NONCE=required`.
@Suite("Nonces in proofs")
struct DPoPNonceTests {
    private static func server() throws -> InProcessServer { try InProcessServer { $0["DPOP_NONCE"] = "required" } }

    /// Logs in as a client that has no nonce yet. Returns the login and the last nonce.
    private func logIn(at server: any TestServer, key: String) throws -> (login: TestResponse, nonce: String) {
        let request = TestRequest.devLogin("nonce@example.com")
        let refused = try server.send(request.proven(by: key, at: server))
        expectRefusedProof(refused, "nonce")
        let nonce = try #require(refused.header("dpop-nonce"))
        let login = try server.send(request.proven(by: key, at: server) { $0.claims["nonce"] = .string(nonce) })
        #expect(login.status == 200 && login["tokenType"] == "DPoP", "\(login.json)")
        return (login, try #require(login.header("dpop-nonce")))
    }

    @Test("A client without a nonce gets one, and every answer has the next")
    func demanded() throws {
        let server = try ServerBehindNginx { $0["DPOP_NONCE"] = "required" }
        var (tokens, nonce) = try logIn(at: server, key: "nonce:P-256")
        for _ in 0..<3 {
            let request = TestRequest.refresh(tokens.refreshToken)
            tokens = try server.send(
                request.proven(by: "nonce:P-256", at: server) { $0.claims["nonce"] = .string(nonce) })
            #expect(tokens.status == 200)
            nonce = try #require(tokens.header("dpop-nonce"))
        }
        // Refusals have one as well, also those for another reason.
        let patch = TestRequest.patchUser("", bearer: tokens.accessToken)
        for change: (inout ProofOrder) -> Void in [{ _ in }, { $0.method = "PUT" }, { $0.signature = "flipped" }] {
            let refused = try server.send(patch.proven(by: "nonce:P-256", at: server, change))
            #expect(refused.status == 401 && refused.header("dpop-nonce") != nil)
        }
    }

    @Test("A nonce that is old, changed, or of another installation is refused, with a new one")
    func wrong() throws {
        let server = try Self.server()
        let (login, nonce) = try logIn(at: server, key: "nonce:P-256")
        let other = try InProcessServer {
            $0["DPOP_NONCE"] = "required"
            $0["JWT_REFRESH_SECRET"] = "another refresh secret of more than thirty-two bytes"
        }
        let foreign = try logIn(at: other, key: "nonce:P-256").nonce
        let challenge = server.send(.post("/api/auth/apple/challenge", bearer: nil))["nonce"]?.string ?? ""
        let request = TestRequest.refresh(login.refreshToken)
        for wrong in [foreign, challenge, "", "x", String(nonce.dropLast()), nonce + "x", nonce + nonce] {
            let refused = server.send(
                try request.proven(by: "nonce:P-256", at: server) { $0.claims["nonce"] = .string(wrong) })
            expectRefusedProof(refused, "nonce", wrong)
            #expect(refused.header("dpop-nonce") != nil)
        }
        server.advanceClock(by: .seconds(270))
        func send(_ nonce: String, after seconds: Int64) throws -> TestResponse {
            server.send(
                try request.proven(by: "nonce:P-256", at: server) { order in
                    order.claims["nonce"] = .string(nonce)
                    order.age = -seconds
                })
        }
        #expect(try send(nonce, after: 270).status == 200)
        server.advanceClock(by: .seconds(60))
        expectRefusedProof(try send(nonce, after: 330), "nonce")
    }

    @Test("A nonce of one node is accepted by another, and after a restart")
    func nodes() throws {
        let server = try Self.server()
        let (login, nonce) = try logIn(at: server, key: "nonce:P-256")
        let other = try InProcessServer(beside: server)
        let next = other.send(
            try TestRequest.refresh(login.refreshToken)
                .proven(by: "nonce:P-256", at: other) { $0.claims["nonce"] = .string(nonce) })
        #expect(next.status == 200, "\(next.json)")
        try server.restart()
        let last = server.send(
            try TestRequest.refresh(next.refreshToken)
                .proven(by: "nonce:P-256", at: server) { $0.claims["nonce"] = .string(nonce) })
        #expect(last.status == 200, "\(last.json)")
    }

    @Test("A client without proofs gets no nonce, and needs none")
    func unbound() throws {
        let server = try Self.server()
        let login = try server.devLogin("unbound@example.com")
        let next = try server.refresh(login.refreshToken)
        for answer in [login, next, try server.me(next.accessToken)] {
            #expect(answer.status == 200 && answer.header("dpop-nonce") == nil)
        }
    }

    @Test("Where no nonce is demanded, none is given")
    func off() throws {
        let client = try BoundClient(at: try SharedServers.standard(.nginx), "off@example.com")
        #expect(client.tokens.header("dpop-nonce") == nil)
        #expect(try client.refreshed().header("dpop-nonce") == nil)
    }

    @Test("Guarded requests need it, too")
    func guarded() throws {
        let upstream = try UpstreamServer.echoing()
        let pass = "include snippets/gatehouse-guard.conf; proxy_pass http://127.0.0.1:\(upstream.port)"
        let server = try ServerBehindNginx(locations: "location /notes/ { \(pass); }") { variables in
            variables["DPOP_NONCE"] = "required"
            variables["DPOP_GUARD"] = "required"
        }
        let login = try logIn(at: server, key: "nonce:P-256").login
        for path in ["/notes/1", "/api/users/me"] {
            let request = TestRequest.get(path, bearer: login.accessToken)
            let refused = try server.send(request.proven(by: "nonce:P-256", at: server))
            expectRefusedProof(refused, "nonce", path)
            let nonce = try #require(refused.header("dpop-nonce"), "\(path)")
            let answer = try server.send(
                request.proven(by: "nonce:P-256", at: server) { $0.claims["nonce"] = .string(nonce) })
            #expect(answer.status == 200)
            #expect(refused.count(ofHeader: "dpop-nonce") == 1)
        }
    }
}

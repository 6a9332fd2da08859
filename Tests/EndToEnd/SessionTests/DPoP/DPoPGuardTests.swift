import Foundation
import JSON
import StoreSupport
import TestSupport
import Testing

@testable import ServerSupport

/// What `DPOP_GUARD` demands of a guarded request, and of a request that only reads.
@Suite("Proofs at the guard")
struct DPoPGuardTests {
    private struct Fixture: Sendable {
        let server: ServerBehindNginx
        let upstream: UpstreamServer

        init(_ setting: String?) throws {
            upstream = try UpstreamServer.echoing()
            let pass = "include snippets/gatehouse-guard.conf; proxy_pass http://127.0.0.1:\(upstream.port)"
            server = try ServerBehindNginx(
                locations: "location /notes/ { \(pass); } location /renamed/ { \(pass)/other/; }"
            ) { $0["DPOP_GUARD"] = setting }
        }

        static let standard = Result { try Fixture(nil) }
        static let off = Result { try Fixture("off") }
        static let optional = Result { try Fixture("optional") }
        static let required = Result { try Fixture("required") }
    }

    private static let paths = [
        "/notes/1", "/api/users/me", "/api/users/me/sessions", "/api/users/me/accounts", "/api/users/me/export",
    ]

    /// All that is known about the user, and where they are signed in, is for the key alone, whatever the setting is.
    private static let demanding = ["/api/users/me/sessions", "/api/users/me/export"]

    // MARK: - The three settings

    @Test("optional, off and the default: a proof that is sent, and the scheme DPoP, are verified", arguments: paths)
    func optional(_ path: String) throws {
        for fixture in [Fixture.standard, Fixture.off, Fixture.optional] {
            try expectVerified(path, try fixture.get().server)
        }
    }

    private func expectVerified(_ path: String, _ server: ServerBehindNginx) throws {
        let client = try BoundClient(at: server, "optional@example.com")
        let request = TestRequest.get(path, bearer: client.tokens.accessToken)
        if Self.demanding.contains(path) {
            expectRefusedProof(try server.send(request), "missing")
        } else {
            #expect(try server.send(request).status == 200)
        }
        for scheme in ["DPoP", "Bearer"] {
            #expect(try client.send(request, scheme: scheme).status == 200)
            expectRefusedProof(try client.send(request, scheme: scheme) { $0.method = "PUT" }, "method")
            let thief = try request.proven(by: "thief:P-256", at: server, scheme: scheme)
            if !Self.demanding.contains(path) { expectRefusedProof(try server.send(thief), "key") }
        }
        expectRefusedProof(try server.send(client.proven(request).withoutProof), "missing")
        #expect(try client.isSignedIn)
    }

    @Test("required: without the key, an access token opens nothing", arguments: paths)
    func required(_ path: String) throws {
        let server = try Fixture.required.get().server
        let client = try BoundClient(at: server, "required@example.com")
        let request = TestRequest.get(path, bearer: client.tokens.accessToken)
        expectRefusedProof(try server.send(request), "missing")
        expectRefusedProof(try server.send(client.proven(request).withoutProof), "missing")
        if !Self.demanding.contains(path) {
            expectRefusedProof(try server.send(request.proven(by: "thief:P-256", at: server)), "key")
        }
        #expect(try client.send(request).status == 200)
        // The session goes on.
        #expect(try client.refreshed().status == 200)
    }

    @Test("The export and the list of sessions take a proof once on all nodes, and another key ends the session")
    func demanding() throws {
        let nodes = try TwoNodes()
        for path in Self.demanding {
            let client = try BoundClient(at: nodes.first, "export@example.com")
            let request = try client.proven(.get(path, bearer: client.tokens.accessToken))
            #expect(try nodes.first.send(request).status == 200)
            for node in [nodes.first, nodes.second] { expectRefusedProof(try node.send(request.sentAgain), "replayed") }
            let thief = TestRequest.get(path, bearer: client.tokens.accessToken)
            expectRefusedProof(try nodes.first.send(thief.proven(by: "thief:P-256", at: nodes.first)), "key")
            #expect(try nodes.first.me(client.tokens.accessToken).status == 401)
        }
    }

    @Test("The token of an unbound session is a bearer token, whatever the setting is")
    func unbound() throws {
        for fixture in [try Fixture.off.get(), try Fixture.optional.get(), try Fixture.required.get()] {
            let token = try fixture.server.devLogin("unbound@example.com").accessToken
            for path in Self.paths {
                let request = TestRequest.get(path, bearer: token)
                #expect(try fixture.server.send(request).status == 200)
                let ignored = try request.proven(by: "unbound:P-256", at: fixture.server, scheme: "Bearer")
                #expect(try fixture.server.send(ignored).status == 200)
                let refused = try fixture.server.send(request.proven(by: "unbound:P-256", at: fixture.server))
                #expect(refused.status == 401 && refused.code == "invalid_access_token", "\(path) \(refused.json)")
            }
        }
    }

    // MARK: - The request

    @Test("The proof is for the URL and the method that the client sent", arguments: ["GET", "POST", "DELETE"])
    func target(_ method: String) throws {
        let server = try Fixture.required.get().server
        let client = try BoundClient(at: server, "target@example.com")
        var request = TestRequest.get("/renamed/a%20b/c?d=e", bearer: client.tokens.accessToken)
        request.method = method
        if method == "POST" { request.body = Array("text".utf8) }
        #expect(try client.send(request).status == 200)
        expectRefusedProof(try client.send(request) { $0.method = "PUT" }, "method")
        let changes = [
            ("renamed/a%20b/c", "other/a%20b/c"), ("/c", "/d"), ("localhost", "127.0.0.1"), ("https", "http"),
        ]
        for (old, new) in changes {
            expectRefusedProof(try client.send(request) { $0.url = $0.url.replacing(old, with: new) }, "url", new)
        }
    }

    @Test("The proof is for this access token")
    func hash() throws {
        let server = try Fixture.required.get().server
        var client = try BoundClient(at: server, "hash@example.com")
        let earlier = client.tokens.accessToken
        try client.refresh()
        let request = TestRequest.get("/notes/1", bearer: client.tokens.accessToken)
        for token in [nil, earlier, "x"] {
            expectRefusedProof(try client.send(request) { $0.token = token }, "access_token")
        }
        #expect(try client.send(request).status == 200)
    }

    @Test("A proof is used once", arguments: ["/notes/1", "/api/users/me"])
    func usedOnce(_ path: String) throws {
        let server = try Fixture.required.get().server
        let client = try BoundClient(at: server, "once@example.com")
        let request = try client.proven(.get(path, bearer: client.tokens.accessToken))
        #expect(try server.send(request).status == 200)
        for _ in 0..<2 { expectRefusedProof(try server.send(request), "replayed") }
        let raced = try client.proven(.get(path, bearer: client.tokens.accessToken))
        let answers = try server.send(raced, timesAtOnce: 6)
        #expect(answers.count { $0.status == 200 } == 1)
        #expect(answers.count { $0.code == "invalid_dpop_proof" } == 5)
    }

    @Test("The service gets the user, and neither the token nor the proof", arguments: ["DPoP", "Bearer"])
    func passedOn(_ scheme: String) throws {
        let fixture = try Fixture.optional.get()
        let client = try BoundClient(at: fixture.server, "service@example.com")
        let path = "/notes/\(UUID())"
        #expect(try client.send(.get(path, bearer: client.tokens.accessToken), scheme: scheme).status == 200)
        let received = try #require(fixture.upstream.requests(at: path).first)
        #expect(received.values(of: "DPoP").isEmpty && received.values(of: "Authorization").isEmpty)
        #expect(received.values(of: "X-User-Id") == [client.tokens.userID])
        #expect(received.values(of: "X-Session-Id") == [client.tokens.sessionID])
        #expect(!received.text.contains(client.tokens.accessToken))
    }

    @Test("A client cannot say which URL it has requested")
    func forgedTarget() throws {
        let server = try Fixture.required.get().server
        let client = try BoundClient(at: server, "forged@example.com")
        var request = try client.proven(.get("/notes/1", bearer: client.tokens.accessToken)) { order in
            order.url = order.url.replacing("/notes/1", with: "/notes/2")
        }
        let target = "GET \(server.origin)/notes/2"
        for name in ["GATEHOUSE_DPOP_TARGET", "Gatehouse-Dpop-Target", "X-Original-URL", "X-Forwarded-Host"] {
            request.headers.append((name, name.hasPrefix("X-F") ? "localhost:\(server.port)" : target))
        }
        expectRefusedProof(try server.send(request), "url")
    }

    /// Some versions of nginx give the first one alone, and some join them.
    @Test("Of two headers DPoP none is right, at the guard and at the API", arguments: ["/notes/1", "/api/users/me"])
    func twoHeaders(_ path: String) throws {
        let server = try Fixture.optional.get().server
        let client = try BoundClient(at: server, "two@example.com")
        let token = client.tokens.accessToken
        func proof() throws -> String { try client.proven(.get(path, bearer: token)).header("DPoP") ?? "" }
        func answer(_ headers: [String]) throws -> TestResponse {
            let lines = ["GET \(path) HTTP/1.1", "Host: localhost:\(server.port)", "Connection: close"]
            return try server.send(raw: (lines + headers).joined(separator: "\r\n") + "\r\n\r\n")
        }
        for scheme in ["DPoP", "Bearer"] {
            let authorization = "Authorization: \(scheme) \(token)"
            #expect(try answer([authorization, "dpop: \(proof())"]).status == 200)
            let right = "DPoP: \(try proof())"
            for pair in try [
                [right, right], [right, "DPoP: \(proof())"], [right, "DPoP: x.y.z"], ["DPoP: x.y.z", right],
                [right, "dpop:"], ["DPOP:", right], ["DPoP:"], ["DPoP:", "DPoP:"],
            ] {
                expectRefusedProof(try answer([authorization] + pair), "malformed", "\(scheme) \(pair)")
            }
        }
    }

    @Test("The guard writes nothing: not for a right proof, not for a wrong one, not for another key")
    func writesNothing() throws {
        let fixture = try Fixture.required.get()
        let server = fixture.server
        let client = try BoundClient(at: server, "write@example.com")
        let request = TestRequest.get("/notes/1", bearer: client.tokens.accessToken)
        let unchanged = """
            SELECT count(*) FROM refresh_tokens
            WHERE id = '\(client.tokens.sessionID)' AND used_proofs IS NULL AND revoked_at IS NULL
            """
        #expect(try server.backend.testDatabase.number(unchanged) == 1)
        #expect(try client.send(request).status == 200)
        expectRefusedProof(try server.send(request.proven(by: "thief:P-256", at: server)), "key")
        expectRefusedProof(try client.send(request) { $0.signature = "flipped" }, "signature")
        #expect(try server.backend.testDatabase.number(unchanged) == 1)
    }

    // MARK: - Several nodes

    @Test("Each node remembers the proofs of guarded requests by itself")
    func nodes() throws {
        let nodes = try TwoNodes { $0["DPOP_GUARD"] = "required" }
        let client = try BoundClient(at: nodes.first, "nodes@example.com")
        var request = try TestRequest.get("/api/auth/verify", bearer: client.tokens.accessToken)
            .proven(by: client.key, at: nodes.first) { $0.url = TestRequest.origin + "/notes/1" }
        request.guardedPath = "/notes/1"
        for node in [nodes.first, nodes.second] {
            #expect(try node.send(request).status == 204)
            #expect(try node.send(request).status == 204, "nginx has sent it again")
            #expect(try node.send(request.sentAgain).code == "invalid_dpop_proof")
        }
    }
}

extension BoundClient {
    /// The request with a proof for it.
    func proven(_ request: TestRequest, _ change: (inout ProofOrder) -> Void = { _ in }) throws -> TestRequest {
        try request.proven(by: key, at: server, change)
    }
}

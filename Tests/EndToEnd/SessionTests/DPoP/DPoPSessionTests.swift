import JSON
import StandIn
import TestSupport
import Testing

@testable import ServerSupport

/// Which requests of a bound session need a proof.
@Suite("Bound sessions")
struct DPoPSessionTests {
    /// A request that changes something.
    enum Change: String, CaseIterable, CustomTestStringConvertible {
        case refresh, logout, logoutByRefreshToken, revokeAccessToken, logoutEverywhere
        case update, delete, link, unlink, endSession, endOther

        var testDescription: String { rawValue }

        func request(of tokens: TestResponse, other: TestResponse, at server: any TestServer) -> TestRequest {
            let (access, refresh) = (tokens.accessToken, tokens.refreshToken)
            let me = "/api/users/me"
            return switch self {
            case .refresh: .refresh(refresh)
            case .logout: .post("/api/auth/logout", bearer: access)
            case .logoutByRefreshToken: .post("/api/auth/logout", ["refreshToken": .string(refresh)])
            case .revokeAccessToken: .form("/api/auth/revoke", "token=" + access)
            case .logoutEverywhere: .post("/api/auth/logout-all", bearer: access)
            case .update: .patchUser("Ada", bearer: access)
            case .delete: .delete(me, bearer: access)
            case .link: .post(me + "/accounts/apple", server.apple.login(tokens.userID), bearer: access)
            case .unlink: .delete(me + "/accounts/apple", bearer: access)
            case .endSession: .delete(me + "/sessions/" + tokens.sessionID, bearer: access)
            case .endOther: .delete(me + "/sessions/" + other.sessionID, bearer: access)
            }
        }

        var hasAccessToken: Bool {
            ![.refresh, .logoutByRefreshToken, .revokeAccessToken].contains(self)
        }

        /// What the change leaves of the session.
        var endsSession: Bool { ![.refresh, .update, .link, .unlink, .endOther].contains(self) }
    }

    @Test(
        "What changes something needs a proof", arguments: Change.allCases,
        [TestEnvironment.handler, .nginx])
    func needsProof(_ change: Change, _ environment: TestEnvironment) throws {
        let server = try SharedServers.standard(environment)
        let email = "needs-proof-\(change)-\(environment)@example.com"
        let other = try server.devLogin(email)
        let client = try BoundClient(at: server, email)
        let request = change.request(of: client.tokens, other: other, at: server)
        for scheme in change.hasAccessToken ? ["Bearer", "DPoP"] : [""] {
            let bare = try request.proven(by: client.key, at: server, scheme: scheme).withoutProof
            expectRefusedProof(try server.send(bare), "missing", scheme)
            expectRefusedProof(try client.send(request, scheme: scheme) { $0.method = "PUT" }, "method", scheme)
        }
        #expect(try client.isSignedIn)
        #expect(try server.me(other.accessToken).status == 200)
        // Once with the scheme that clients without DPoP know.
        let answer = try client.send(request, scheme: environment == .nginx ? "Bearer" : "DPoP")
        #expect([200, 204].contains(answer.status), "\(answer.status) \(answer.json)")
        #expect(try client.isSignedIn != change.endsSession)
    }

    @Test(
        "RFC 7009 has no proof: the refresh token alone revokes its session, also an older one, whatever proof is there",
        arguments: [nil, "method", "thief"], [TestEnvironment.handler, .nginx])
    func revocation(_ fault: String?, _ environment: TestEnvironment) throws {
        let server = try SharedServers.standard(environment)
        let email = "revocation-\(fault ?? "none")-\(environment)@example.com"
        let other = try BoundClient(at: server, email)
        for refreshes in 0..<3 {
            var client = try BoundClient(at: server, email)
            let request = TestRequest.form("/api/auth/revoke", "token=" + client.tokens.refreshToken)
            for _ in 0..<refreshes { try client.refresh() }
            let key = fault == "thief" ? "thief:P-256" : client.key
            let proven = try request.proven(by: key, at: server) { if fault == "method" { $0.method = "PUT" } }
            // The second one is a repeat.
            for _ in 0..<2 {
                let answer = try server.send(fault == nil ? request.sentAgain : proven.sentAgain)
                #expect(answer.status == 200 && answer.json.isEmpty, "\(answer.json)")
            }
            #expect(try server.me(client.tokens.accessToken).code == "session_revoked")
            #expect(try client.refreshed().code == "refresh_token_revoked")
        }
        let forged = String(other.tokens.refreshToken.dropLast(2))
        #expect(try server.send(.form("/api/auth/revoke", "token=" + forged)).status == 200)
        #expect(try other.isSignedIn && other.refreshed().status == 200)
    }

    private static let readPaths = ["", "/sessions", "/accounts", "/export"].map { "/api/users/me" + $0 }

    @Test("The list of sessions and the export say which are bound")
    func lists() throws {
        let server = try SharedServers.standard(.handler)
        let unbound = try server.devLogin("lists@example.com")
        let client = try BoundClient(at: server, "lists@example.com")
        for path in ["/sessions", "/export"] {
            let answer = try server.send(.get("/api/users/me" + path, bearer: unbound.accessToken))
            let sessions = answer["sessions"]?.array?.compactMap(\.object) ?? []
            let bound = Dictionary(uniqueKeysWithValues: sessions.map { ($0["id"]?.string ?? "", $0["bound"]?.bool) })
            #expect(bound == [unbound.sessionID: false, client.tokens.sessionID: true], "\(path)")
        }
    }

    @Test("An unbound session goes on as ever, also if its client sends proofs: they never bind it")
    func unbound() throws {
        let server = try SharedServers.standard(.nginx)
        var tokens = try server.devLogin("unbound-session@example.com")
        for request in [0, 1] {
            let sent = TestRequest.refresh(tokens.refreshToken)
            let faulty = try sent.proven(by: "unbound:P-256", at: server) { if request == 1 { $0.method = "GET" } }
            tokens = try server.send(faulty)
            #expect(tokens.status == 200 && tokens["tokenType"] == "Bearer", "\(tokens.json)")
            #expect(tokens.accessClaims["cnf"] == nil)
        }
        let patch = TestRequest.patchUser("Ada", bearer: tokens.accessToken)
        #expect(try server.send(patch.proven(by: "unbound:P-256", at: server, scheme: "Bearer")).status == 200)
        // A token that is bound to no key is no token for this scheme.
        for request in [patch, .get("/api/users/me", bearer: tokens.accessToken)] {
            let refused = try server.send(request.proven(by: "unbound:P-256", at: server))
            expectProblem(refused, 401, "invalid_access_token")
        }
        #expect(try server.send(.post("/api/auth/logout", bearer: tokens.accessToken)).status == 204)
    }
}

extension TestResponse {
    var sessionID: String { refreshClaims["sid"]?.string ?? "" }
}

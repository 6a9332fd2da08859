import Foundation
import JSON
import StoreSupport
import TestSupport
import Testing

@testable import ServerSupport

/// Tokens of a bound session in other hands.
@Suite("Stolen tokens of bound sessions")
struct DPoPTheftTests {
    /// When the tokens are stolen, and what the owner does before the thief uses them.
    enum Step: String, CaseIterable, CustomTestStringConvertible {
        case afterLogin, afterRefresh, oldGeneration, oldAndConfirmed, beforeLostAnswer, afterLogout, afterDeletion

        var testDescription: String { rawValue }

        /// The stolen tokens. The client has its current ones.
        func steal(from client: inout BoundClient, at server: InProcessServer) throws -> TestResponse {
            let first = client.tokens
            switch self {
            case .afterLogin: return first
            case .afterRefresh:
                try client.refresh()
                return client.tokens
            case .oldGeneration:
                for _ in 0..<2 { try client.refresh() }
                return first
            case .oldAndConfirmed:
                for _ in 0..<2 { try client.refresh() }
                _ = try server.me(client.tokens.accessToken)
                server.advanceClock(by: .seconds(40))
                return first
            case .beforeLostAnswer:
                _ = try client.refreshed()
                return first
            case .afterLogout:
                _ = try client.send(.post("/api/auth/logout", bearer: first.accessToken))
                return first
            case .afterDeletion:
                _ = try client.send(.delete("/api/users/me", bearer: first.accessToken))
                return first
            }
        }

        var isOver: Bool { [.afterLogout, .afterDeletion].contains(self) }
    }

    @Test("Without the key, a thief changes nothing at any step", arguments: Step.allCases)
    func withoutKey(_ step: Step) throws {
        let server = try InProcessServer()
        var client = try BoundClient(at: server, "\(step)@example.com")
        let stolen = try step.steal(from: &client, at: server)
        for change in DPoPSessionTests.Change.allCases {
            let answer = server.send(change.request(of: stolen, other: stolen, at: server).sentAgain)
            #expect(answer.json["accessToken"] == nil, "\(change)")
            if !step.isOver { expectRefusedProof(answer, "missing", change.rawValue) }
        }
        guard !step.isOver else { return }
        let next = try client.refreshed()
        #expect(next.status == 200, "\(next.json)")
        #expect(!server.log.contains("session_key_mismatch"))
    }

    /// Each step with a refresh, and each other change at one step.
    private static let thefts: [(Step, DPoPSessionTests.Change)] = {
        let changes = DPoPSessionTests.Change.allCases.filter { $0 != .refresh && $0 != .endOther }
        let steps = Step.allCases.filter { !$0.isOver }
        return steps.map { ($0, DPoPSessionTests.Change.refresh) } + changes.map { (Step.afterRefresh, $0) }
    }()

    @Test("With another key, a thief gets nothing, and the session ends", arguments: thefts)
    func otherKey(_ step: Step, _ change: DPoPSessionTests.Change) throws {
        let server = try InProcessServer()
        var client = try BoundClient(at: server, "\(step)-\(change)@example.com")
        let stolen = try step.steal(from: &client, at: server)
        let request = change.request(of: stolen, other: stolen, at: server)
        let answer = server.send(try request.proven(by: "thief:Ed25519", at: server))
        expectRefusedProof(answer, "key", "\(change)")
        #expect(try server.me(client.tokens.accessToken).code == "session_revoked")
        #expect(try client.refreshed().code == "refresh_token_revoked")
        let ended = "SELECT count(*) FROM refresh_tokens WHERE revoke_reason = 'key'"
        #expect(try server.testDatabase.number(ended) == 1)
    }

    @Test("Two requests by another key at once: one ends the session, and neither changes anything")
    func otherKeyTwice() throws {
        let server = try ServerProcess()
        for round in 0..<10 {
            let client = try BoundClient(at: server, "twice-\(round)@example.com")
            let request = TestRequest.delete("/api/users/me", bearer: client.tokens.accessToken)
            let requests = try (0..<4).map { _ in try request.proven(by: "thief:P-256", at: server) }
            let answers = try Concurrently.run(requests.count) { try server.send(requests[$0]) }
            #expect(answers.allSatisfy { $0.status == 401 }, "\(answers.map(\.status))")
            #expect(try server.testDatabase.number("SELECT count(*) FROM users WHERE status <> 'ACTIVE'") == 0)
        }
    }

    @Test("Who has an access token without the key does not confirm that it reached its owner")
    func confirmation() throws {
        let server = try InProcessServer()
        var client = try BoundClient(at: server, "unconfirmed@example.com")
        try client.refresh()
        let lost = try client.refreshed()
        _ = server.send(.patchUser("Eve", bearer: lost.accessToken))
        server.advanceClock(by: .seconds(40))
        let next = try client.refreshed()
        #expect(next.status == 200 && next.json["refreshToken"] == lost.json["refreshToken"])
    }

    @Test("The audit trail, the log and the metrics say so")
    func told() throws {
        let server = try ServerProcess()
        let client = try BoundClient(at: server, "told@example.com")
        let request = TestRequest.refresh(client.tokens.refreshToken)
        expectRefusedProof(try server.send(request.sentAgain), "missing")
        expectRefusedProof(try server.send(request.proven(by: "thief:P-256", at: server)), "key")
        #expect(try client.refreshed().code == "refresh_token_revoked")
        func events() throws -> [JSONObject] {
            try server.auditTrail().filter { $0["kind"] == "session_key_mismatch" }
        }
        #expect(Eventually.holds { (try? events().isEmpty) == false })
        let ended = try events()
        #expect(ended.count == 1 && ended[0]["sessionId"]?.string == client.tokens.sessionID, "\(ended)")
        #expect(Eventually.holds { server.process.log.contains(#""event":"session_key_mismatch""#) })
        let metrics = String(decoding: try server.send(.get("/metrics")).body, as: UTF8.self)
        for line in [
            #"gatehouse_dpop_proofs_refused_total{reason="key"} 1"#,
            #"gatehouse_dpop_proofs_refused_total{reason="missing"} 1"#,
            #"gatehouse_dpop_proofs_refused_total{reason="url"} 0"#,
            #"gatehouse_sessions_ended_total{reason="key"} 1"#,
        ] { #expect(metrics.contains(line), "\(line)") }
    }

    @Test("Another node refuses the tokens of a session that ended so")
    func otherNode() throws {
        let nodes = try TwoNodes()
        let client = try BoundClient(at: nodes.first, "node@example.com")
        #expect(try nodes.second.me(client.tokens.accessToken).status == 200)
        let stolen = try TestRequest.refresh(client.tokens.refreshToken).proven(by: "thief:P-256", at: nodes.second)
        expectRefusedProof(try nodes.second.send(stolen), "key")
        #expect(Eventually.holds { (try? nodes.first.me(client.tokens.accessToken).code) == "session_revoked" })
        #expect(try client.refreshed().code == "refresh_token_revoked")
    }

    @Test("A logout that ends two sessions needs the key of the one whose access token it has")
    func logoutOfTwo() throws {
        let server = try InProcessServer()
        let own = try BoundClient(at: server, "two@example.com")
        let other = try BoundClient(at: server, "two@example.com")
        let request = TestRequest.post(
            "/api/auth/logout", ["refreshToken": .string(other.tokens.refreshToken)], bearer: own.tokens.accessToken)
        expectRefusedProof(server.send(request.sentAgain), "missing")
        #expect(try own.isSignedIn && other.isSignedIn)
        #expect(try own.send(request).status == 204)
        #expect(try !own.isSignedIn && !other.isSignedIn)
    }
}

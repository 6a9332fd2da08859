import Foundation
import JSON
import TestSupport
import Testing

@testable import ServerSupport

/// The rule of rotation is the same for bound sessions: a proof only says who may use a token.
@Suite("Rotation of bound sessions")
struct DPoPRotationTests {
    /// The proofs have the time of this machine, so the clock of the server does not go far.
    private static func proven(
        _ token: String, by client: BoundClient, at server: any TestServer, after seconds: Int64
    ) throws -> TestResponse {
        try server.send(TestRequest.refresh(token).proven(by: client.key, at: server) { $0.age = -seconds })
    }

    @Test("A lost answer is repeated hours later, by a new proof", arguments: Interruption.allCases)
    func lostAnswer(_ interruption: Interruption) throws {
        let first = try InProcessServer()
        let client = try BoundClient(at: first, "night@example.com")
        let lost = try client.refreshed()
        first.advanceClock(by: .seconds(8 * 3600))
        let server = try interruption.next(after: first)
        let again = try Self.proven(client.tokens.refreshToken, by: client, at: server, after: 8 * 3600)
        #expect(again.status == 200 && again.refreshToken == lost.refreshToken, "\(again.json)")
        #expect(again["tokenType"] == "DPoP" && again["expiresIn"] == 0)
        let next = try Self.proven(again.refreshToken, by: client, at: server, after: 8 * 3600)
        #expect(next.status == 200 && next.accessClaims["cnf"] == client.tokens.accessClaims["cnf"])
    }

    @Test("Reuse of an old token by the owner of the key ends the session, as without a key")
    func reuse() throws {
        let server = try InProcessServer()
        var client = try BoundClient(at: server, "reuse@example.com")
        let old = client.tokens.refreshToken
        for _ in 0..<2 { try client.refresh() }
        server.advanceClock(by: .seconds(40))
        #expect(try Self.proven(old, by: client, at: server, after: 40).code == "refresh_token_reused")
        let owner = try Self.proven(client.tokens.refreshToken, by: client, at: server, after: 40)
        #expect(owner.code == "refresh_token_reused")
    }

    @Test("A burst of refreshes does not fork the session", arguments: TestEnvironment.allCases)
    func burst(_ environment: TestEnvironment) throws {
        let server = try SharedServers.standard(environment)
        var client = try BoundClient(at: server, "burst-\(environment)@example.com")
        for round in 0..<3 {
            let token = client.tokens.refreshToken
            let requests = try (0..<8).map { _ in
                try TestRequest.refresh(token).proven(by: client.key, at: server)
            }
            let answers = try Concurrently.run(8) { try server.send(requests[$0]) }
            #expect(answers.allSatisfy { $0.status == 200 && $0.refreshToken == answers[0].refreshToken })
            #expect(answers[0].generation == Int64(round + 2))
            client.tokens = answers[0]
        }
        #expect(try client.isSignedIn)
    }

    @Test("Refreshes at two nodes at the same moment get the same tokens")
    func nodes() throws {
        let nodes = try TwoNodes()
        var client = try BoundClient(at: nodes.first, "nodes@example.com")
        for _ in 0..<10 {
            let token = client.tokens.refreshToken
            let requests = try (0..<6).map { _ in
                try TestRequest.refresh(token).proven(by: client.key, at: nodes.first)
            }
            let answers = try Concurrently.run(6) { try nodes[$0].send(requests[$0]) }
            #expect(answers.allSatisfy { $0.status == 200 && $0.refreshToken == answers[0].refreshToken })
            client.tokens = answers[0]
        }
    }

    @Test("A token of an older generation gets the current one within the grace, by a proof alone")
    func race() throws {
        let server = try InProcessServer()
        var client = try BoundClient(at: server, "race@example.com")
        let old = client.tokens.refreshToken
        for _ in 0..<3 { try client.refresh() }
        expectRefusedProof(server.send(TestRequest.refresh(old).sentAgain), "missing")
        #expect(try client.refreshed(old).refreshToken == client.tokens.refreshToken)
    }

    @Test("A bound session survives a restart, a kill and another process", arguments: Interruption.allCases)
    func interruption(_ interruption: Interruption) throws {
        let first = try InProcessServer()
        var client = try BoundClient(at: first, "interrupted@example.com")
        let server = try interruption.next(after: first)
        try client.refresh(at: server)
        expectRefusedProof(server.send(TestRequest.refresh(client.tokens.refreshToken).sentAgain), "missing")
        let patch = TestRequest.patchUser("Ada", bearer: client.tokens.accessToken)
        expectRefusedProof(server.send(patch.sentAgain), "missing")
        #expect(server.send(try patch.proven(by: client.key, at: server)).status == 200)
    }
}

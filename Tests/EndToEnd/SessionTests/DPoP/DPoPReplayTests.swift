import Foundation
import JSON
import StandIn
import StoreSupport
import TestSupport
import Testing

@testable import ServerSupport

/// A proof is used by one request.
@Suite("Proofs that are used again")
struct DPoPReplayTests {
    @Test("At a login")
    func login() throws {
        let server = try SharedServers.standard(.nginx)
        let key = "\(UUID()):P-256"
        let first = try TestRequest.devLogin("replay@example.com").proven(by: key, at: server)
        #expect(try server.send(first).status == 200)
        expectRefusedProof(try server.send(first.sentAgain), "replayed")
        // The identity token may be sent again, the proof may not.
        let apple = try TestRequest.post("/api/auth/apple", server.apple.login("replay")).proven(by: key, at: server)
        #expect(try server.send(apple).status == 200)
        expectRefusedProof(try server.send(apple.sentAgain), "replayed")
        let again = try server.send(apple.withoutProof.proven(by: key, at: server))
        #expect(again["tokenType"] == "DPoP" && again.accessClaims["cnf"] != nil, "\(again.json)")
    }

    @Test("At a refresh, a change and a logout")
    func changes() throws {
        let server = try SharedServers.standard(.nginx)
        var client = try BoundClient(at: server, "replay@example.com")
        let first = try TestRequest.refresh(client.tokens.refreshToken).proven(by: client.key, at: server)
        client.tokens = try server.send(first)
        // Without a proof, this would be a lost answer that is repeated.
        expectRefusedProof(try server.send(first.sentAgain), "replayed")
        let patch = try TestRequest.patchUser("Ada", bearer: client.tokens.accessToken)
            .proven(by: client.key, at: server)
        #expect(try server.send(patch).status == 200)
        expectRefusedProof(try server.send(patch.sentAgain), "replayed")
        #expect(try client.isSignedIn)

        let logout = TestRequest.post("/api/auth/logout", bearer: client.tokens.accessToken)
        #expect(try client.send(logout).status == 204)
        #expect(try client.send(logout).status == 204, "a logout may be repeated, with another proof")
    }

    @Test("An id is used once, whatever the rest of the proof says")
    func sameID() throws {
        let server = try SharedServers.standard(.handler)
        let client = try BoundClient(at: server, "same-id@example.com")
        func send(_ age: Int64) throws -> TestResponse {
            try client.send(.patchUser("Ada", bearer: client.tokens.accessToken)) { order in
                order.claims["jti"] = "same"
                order.age = age
            }
        }
        #expect(try send(0).status == 200)
        for age in [0, 30, -30] as [Int64] { expectRefusedProof(try send(age), "replayed") }
        let other = try BoundClient(at: server, "same-id@example.com")
        let answer = try other.send(.patchUser("Ada", bearer: other.tokens.accessToken)) { $0.claims["jti"] = "same" }
        #expect(answer.status == 200, "ids belong to a key")
    }

    // MARK: - Another process

    @Test("After a restart, also after a kill")
    func restart() throws {
        let server = try InProcessServer()
        let client = try BoundClient(at: server, "restart@example.com")
        let login = try TestRequest.devLogin("restart@example.com").proven(by: client.key, at: server)
        let refresh = try TestRequest.refresh(client.tokens.refreshToken).proven(by: client.key, at: server)
        let patch = try TestRequest.patchUser("Ada", bearer: client.tokens.accessToken)
            .proven(by: client.key, at: server)
        for request in [login, patch, refresh] { #expect(server.send(request).status == 200) }
        try server.restart()
        for request in [login, patch, refresh] { expectRefusedProof(server.send(request.sentAgain), "replayed") }
        let other = try InProcessServer(beside: server)
        for request in [login, patch, refresh] { expectRefusedProof(other.send(request.sentAgain), "replayed") }
    }

    /// Every server gets the request at the same moment.
    private func race(_ requests: [TestRequest], at servers: [ServerProcess]) throws -> [TestResponse] {
        try Concurrently.run(requests.count) { try servers[$0 % servers.count].send(requests[$0]) }
    }

    private func usedOnce(at servers: [ServerProcess]) throws {
        var client = try BoundClient(at: servers[0], "race@example.com")
        for round in 0..<10 {
            let login = try TestRequest.devLogin("race-\(round)@example.com").proven(by: client.key, at: servers[0])
            let refresh = try TestRequest.refresh(client.tokens.refreshToken).proven(by: client.key, at: servers[0])
            let patch = try TestRequest.patchUser("Ada", bearer: client.tokens.accessToken)
                .proven(by: client.key, at: servers[0])
            for request in [login, patch, refresh] {
                let answers = try race((0..<6).map { _ in request.sentAgain }, at: servers)
                #expect(answers.count { $0.status == 200 } == 1, "\(request.path)")
                #expect(answers.count { $0["reason"] == "replayed" } == 5, "\(request.path)")
                if request.path == refresh.path, let next = answers.first(where: { $0.status == 200 }) {
                    client.tokens = next
                }
            }
        }
        #expect(try client.refreshed(at: servers[1]).status == 200)
    }

    @Test("At two nodes with one PostgreSQL database at the same moment")
    func nodes() throws {
        let nodes = try TwoNodes()
        try usedOnce(at: [nodes.first, nodes.second])
    }

    @Test("At two processes with one SQLite file at the same moment")
    func processes() throws {
        let file = try TemporaryFolder()
        let first = try ServerProcess { $0["DATABASE_URL"] = "sqlite:\(file.file("g.db"))" }
        try usedOnce(at: [first, try ServerProcess(beside: first)])
    }

    @Test("A request that nginx sends to a second node is the same request")
    func repeatedByNginx() throws {
        let nodes = try TwoNodes()
        let client = try BoundClient(at: nodes.first, "nginx@example.com")
        let login = try TestRequest.devLogin("nginx@example.com").proven(by: client.key, at: nodes.first)
        let refresh = try TestRequest.refresh(client.tokens.refreshToken).proven(by: client.key, at: nodes.first)
        let patch = try TestRequest.patchUser("Ada", bearer: client.tokens.accessToken)
            .proven(by: client.key, at: nodes.first)
        for request in [patch, refresh, login] {
            let (first, second) = (try nodes.first.send(request), try nodes.second.send(request))
            #expect(first.status == 200 && second.status == 200, "\(request.path) \(second.json)")
            if request.path == refresh.path { #expect(first.refreshToken == second.refreshToken) }
            expectRefusedProof(try nodes.second.send(request.sentAgain), "replayed")
        }
    }
}

/// The rule of rotation is the same for bound sessions: a proof only says who may use a token.
@Suite("Rotation of bound sessions")
struct DPoPRotationTests {
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
}

import FakeApple
import Foundation
import JSON
import StoreSupport
import TestSupport
import Testing

@testable import ServerSupport

/// A proof is used by one request.
@Suite("Proofs that are used again")
struct DPoPReplayTests {
    @Test("At a login", arguments: TestEnvironment.allCases)
    func login(_ environment: TestEnvironment) throws {
        let server = try SharedServers.standard(environment)
        let key = "\(UUID()):P-256"
        let first = try TestRequest.devLogin("replay-\(environment)@example.com").proven(by: key, at: server)
        #expect(try server.send(first).status == 200)
        expectRefusedProof(try server.send(first.sentAgain), "replayed")
        // The identity token may be sent again, the proof may not.
        let apple = try TestRequest.post("/api/auth/apple", server.apple.login("replay")).proven(by: key, at: server)
        #expect(try server.send(apple).status == 200)
        expectRefusedProof(try server.send(apple.sentAgain), "replayed")
        let again = try apple.withoutProof.proven(by: key, at: server)
        #expect(try server.send(again).status == 200)
    }

    @Test("At a refresh, a change and a logout", arguments: TestEnvironment.allCases)
    func changes(_ environment: TestEnvironment) throws {
        let server = try SharedServers.standard(environment)
        var client = try BoundClient(at: server, "replay-\(environment)@example.com")
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

    @Test("Hundreds of proofs are used once each, or refused")
    func many() throws {
        let server = try InProcessServer()
        let client = try BoundClient(at: server, "many@example.com")
        let patch = TestRequest.patchUser("Ada", bearer: client.tokens.accessToken)
        var used: [(request: TestRequest, end: ContinuousClock.Instant)] = []
        var refused = 0
        for round in 0..<200 as Range<Int64> {
            // A proof lives for a minute.
            let end = ContinuousClock.now + .seconds(50 - round % 20)
            let request = try patch.proven(by: client.key, at: server) { $0.age = round % 20 }
            let answer = server.send(request)
            if answer.status == 200 {
                used.append((request, end))
            } else {
                expectRefusedProof(answer, "replayed")
                refused += 1
            }
        }
        for (request, end) in used {
            let answer = server.send(request.sentAgain)
            if ContinuousClock.now < end {
                expectRefusedProof(answer, "replayed")
            } else {
                #expect(answer.status == 401)
            }
        }
        #expect(used.count > 16 && refused + used.count == 200)
        // A client that waits gets through.
        server.advanceClock(by: .seconds(30))
        #expect(try client.send(patch) { $0.age = -30 }.status == 200)
    }

    @Test("A proof that is too old everywhere is forgotten, and still refused")
    func forgotten() throws {
        let server = try InProcessServer()
        let client = try BoundClient(at: server, "forgotten@example.com")
        let patch = TestRequest.patchUser("Ada", bearer: client.tokens.accessToken)
        let first = try patch.proven(by: client.key, at: server)
        #expect(server.send(first).status == 200)
        for seconds in [50, 20, 60, 100, 300] as [Int64] {
            server.advanceClock(by: .seconds(seconds))
            #expect([401].contains(server.send(first.sentAgain).status))
        }
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

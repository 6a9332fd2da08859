import Foundation
import TestSupport
import Testing

@testable import ServerSupport

/// nginx gives up on a node that is suspended, and repeats the request at another one.
@Suite("A suspended node")
struct SuspendedNodeTests {
    /// There is no grace, so an old token ends the session as soon as its successor has been used.
    private let node = try! ServerProcess { $0["REFRESH_REUSE_GRACE"] = "0s" }

    @Test("Requests whose clients hung up while it was suspended are not executed, so an old refresh ends no session")
    func abandonedRefresh() throws {
        let other = try ServerProcess(beside: node)
        let login = try node.devLogin("suspended@example.com")
        let refresh = TestRequest.refresh(login.refreshToken).fastCGIBytes
        let parts = [refresh.prefix(40), refresh.dropFirst(40)].map(Array.init)
        // A connection that waits for its next request, one whose request has begun to arrive, and one not yet accepted.
        var gone = [try node.connect(), try node.connect()]
        _ = try gone[0].exchange(.get("/healthz"))
        try gone[1].send(parts[0])
        let start = ContinuousClock.now
        try suspend()
        defer { node.process.signal(SIGCONT) }
        try gone[0].send(refresh)
        try gone[1].send(parts[1])
        gone.append(try node.connect())
        try gone[2].send(refresh)
        let patient = try node.connect()
        try patient.send(TestRequest.get("/healthz").fastCGIBytes)
        gone.removeAll()
        let next = try other.refresh(login.refreshToken)
        #expect(try other.me(next.accessToken).status == 200)
        let last = try other.refresh(next.refreshToken)
        // Shorter suspensions are not noticed.
        _ = Eventually.holds { start.duration(to: .now) > .milliseconds(2500) }
        node.process.signal(SIGCONT)
        #expect(try patient.answer().text.contains("200"))
        #expect(Eventually.holds { node.process.log.components(separatedBy: "abandoned").count == 4 })
        #expect(try other.me(last.accessToken).status == 200)
        #expect(try node.refresh(last.refreshToken).status == 200)
    }

    @Test("Requests that waited while it was suspended are answered after it has read the log of revocations")
    func revocationsMeanwhile() throws {
        let nodes = try TwoNodes()
        try nodes.dropNotifications()
        let logins = try (0..<20).map { try nodes.first.devLogin("suspended-\($0)@example.com") }
        let peers = try logins.map { login in
            let peer = try nodes.second.connect()
            let answer = try peer.exchange(.get("/api/auth/verify", bearer: login.accessToken))
            #expect(answer.status == 204)
            return peer
        }
        let start = ContinuousClock.now
        try suspend(nodes.second)
        defer { nodes.second.process.signal(SIGCONT) }
        for (login, peer) in zip(logins, peers) {
            #expect(try nodes.first.send(.post("/api/auth/logout", bearer: login.accessToken)).status == 204)
            try peer.send(TestRequest.get("/api/auth/verify", bearer: login.accessToken).fastCGIBytes)
        }
        _ = Eventually.holds { start.duration(to: .now) > .milliseconds(3500) }
        nodes.second.process.signal(SIGCONT)
        for peer in peers { #expect(try peer.answer().text.contains("401")) }
    }

    /// Returns when no thread runs any more.
    private func suspend(_ suspended: ServerProcess? = nil) throws {
        let node = suspended ?? self.node
        node.process.signal(SIGSTOP)
        let tasks = "/proc/\(node.process.identifier)/task"
        let isStopped = Eventually.holds {
            let threads = (try? FileManager.default.contentsOfDirectory(atPath: tasks)) ?? []
            return threads.allSatisfy { thread in
                (try? String(contentsOfFile: "\(tasks)/\(thread)/stat", encoding: .utf8))?.contains(") T ") == true
            }
        }
        try #require(isStopped)
    }
}

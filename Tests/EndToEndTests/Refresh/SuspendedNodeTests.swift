import Foundation
import TestSupport
import Testing

/// nginx gives up on a node that is suspended, and repeats the request at another one.
@Suite("A suspended node")
struct SuspendedNodeTests {
    /// There is no grace, so an old token ends the session as soon as its successor has been used.
    private let node = try! FastCGIInstallation { $0["REFRESH_REUSE_GRACE"] = "0s" }

    @Test("Requests whose peers have gone while it was suspended are not executed, so an old refresh ends no session")
    func abandonedRefresh() throws {
        let other = try FastCGIInstallation(beside: node)
        let login = try node.devLogin("suspended@example.com")
        let refresh = FastCGIInstallation.bytes(of: .refresh(login.refreshToken))
        let parts = [refresh.prefix(40), refresh.dropFirst(40)].map(Array.init)
        // A connection that waits for its next request, one whose request has begun to arrive, and one not yet accepted.
        var gone = [try node.connect(), try node.connect()]
        _ = try node.send(.get("/healthz"), over: gone[0])
        try gone[1].send(parts[0])
        let start = ContinuousClock.now
        try suspend()
        defer { node.process.signal(SIGCONT) }
        try gone[0].send(refresh)
        try gone[1].send(parts[1])
        gone.append(try node.connect())
        try gone[2].send(refresh)
        let patient = try node.connect()
        try patient.send(FastCGIInstallation.bytes(of: .get("/healthz")))
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

    /// Returns when no thread runs any more.
    private func suspend() throws {
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

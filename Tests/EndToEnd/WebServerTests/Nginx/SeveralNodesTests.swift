import Foundation
import JSON
import TestSupport
import Testing

@testable import ServerSupport

/// nginx in front of several nodes. It sends its first request to the first one.
@Suite("nginx in front of several nodes")
struct SeveralNodesTests {
    private static let guarded = "location /guarded/ { include snippets/gatehouse-guard.conf; empty_gif; }"

    /// nginx in front of a node that fails, and of one that works.
    private func front(behind fault: RecordingResponder, _ values: [String: String] = [:]) throws -> ServerBehindNginx {
        let node = try ServerProcess()
        let responders = ["RESPONDER": "127.0.0.1:\(fault.port),unix:\(node.socket)"]
        return try ServerBehindNginx(
            before: node, values: responders.merging(values) { $1 }, locations: Self.guarded)
    }

    private static let repeatable = [
        ("POST", "/api/auth/refresh", 200), ("GET", "/api/users/me", 200), ("PATCH", "/api/users/me", 200),
        ("POST", "/api/auth/dev-login", 200), ("POST", "/api/auth/apple/challenge", 200),
        ("POST", "/api/auth/apple", 401), ("POST", "/api/auth/apple/notifications", 401),
        ("POST", "/api/users/me/accounts/apple", 422), ("GET", "/api/users/me/accounts", 200),
        ("POST", "/api/auth/identity", 401), ("POST", "/api/auth/google/events", 404),
        ("POST", "/api/auth/logout", 204), ("POST", "/api/auth/logout-all", 204),
        ("GET", "/api/users/me/export", 200), ("GET", "/guarded/", 200),
    ]

    @Test("A request whose answer is lost is repeated at another node")
    func repeated() throws {
        let fault = try RecordingResponder(.noAnswer)
        let nginx = try front(behind: fault)
        for (number, (method, path, status)) in Self.repeatable.enumerated() {
            try nginx.renewWorkers()
            let login = try nginx.backend.devLogin("repeated-\(number)@example.com")
            var request = TestRequest.post(path, try body(of: path, login), bearer: login.accessToken)
            request.method = method
            if method == "GET" { request = .get(path, bearer: login.accessToken) }
            let answer = try nginx.send(request)
            #expect(answer.status == status, "\(method) \(path): \(answer.json)")
            #expect(fault.count == number + 1, "\(method) \(path)")
        }
    }

    private func body(of path: String, _ login: TestResponse) throws -> JSONObject {
        switch path {
        case "/api/auth/refresh": ["refreshToken": .string(login.refreshToken)]
        case "/api/auth/dev-login": ["email": "a@example.com", "devSecret": .string(ServerBehindNginx.devSecret)]
        case "/api/users/me": ["nickname": "Ada"]
        case "/api/auth/apple/notifications": ["payload": "a.b.c"]
        default: ["provider": "APPLE", "identityToken": "a.b.c"]
        }
    }

    @Test("The deletion of an account is not repeated, because its repetition would be refused")
    func deletion() throws {
        // After some seconds nginx asks the failed node again: a machine that is so slow proves nothing.
        for _ in 0..<5 where try deletesOnce(within: .seconds(1.5)) { return }
        Issue.record("the machine is too slow")
    }

    /// False if the requests took longer.
    private func deletesOnce(within time: Duration) throws -> Bool {
        let fault = try RecordingResponder(.noAnswer)
        let nginx = try front(behind: fault)
        let token = try nginx.backend.devLogin("deleted@example.com").accessToken
        var deletion = TestRequest.post("/api/users/me", ["authorizationCode": "code"], bearer: token)
        deletion.method = "DELETE"
        let start = ContinuousClock.now
        let lost = try nginx.send(deletion)
        expectProblem(lost, 502, "bad_gateway")
        #expect(lost.header("retry-after") != nil)
        #expect(try nginx.backend.me(token).status == 200)
        // The node that has failed gets no request for a while.
        let second = try nginx.send(deletion)
        guard start.duration(to: .now) < time else { return false }
        #expect(second.status == 204)
        #expect(fault.count == 1)
        #expect(try nginx.backend.me(token).code == "session_revoked")
        return true
    }

    @Test("A node that hangs is left after NODE_TIMEOUT, and after two seconds by the guard", arguments: [false, true])
    func hanging(isGuard: Bool) throws {
        // The guard also gives the node that works no more than two seconds, so one of some attempts counts.
        var answers: [Int] = []
        for _ in 0..<(isGuard ? 5 : 1) where answers != [200, 200, 200, 200] {
            answers = try answersBesideHangingNode(isGuard: isGuard)
        }
        #expect(answers == [200, 200, 200, 200])
    }

    private func answersBesideHangingNode(isGuard: Bool) throws -> [Int] {
        let (first, second) = try Self.twoNodes()
        let nginx = try ServerBehindNginx(
            before: second,
            values: ["RESPONDER": "unix:\(first.socket),unix:\(second.socket)", "NODE_TIMEOUT": "4s"],
            locations: Self.guarded)
        let token = try nginx.backend.devLogin("hanging@example.com").accessToken
        first.process.signal(SIGSTOP)
        defer { first.process.signal(SIGCONT) }
        let path = isGuard ? "/guarded/" : "/api/users/me"
        let answers = try Concurrently.run(4) { _ in try nginx.send(.get(path, bearer: token)).status }
        // The guard's subrequests are not in the log.
        #expect(isGuard || Eventually.holds { nginx.accessLog.contains(#""upstreamStatus":"504, 200""#) })
        return answers
    }

    @Test("A node's own 503 reaches the client unchanged, and no other node gets the request")
    func unavailable() throws {
        let faults = try [RecordingResponder(.unavailable), RecordingResponder(.unavailable)]
        let nginx = try ServerBehindNginx(
            values: ["RESPONDER": faults.map { "127.0.0.1:\($0.port)" }.joined(separator: ",")])
        for count in 1...6 {
            let answer = try nginx.send(.refresh("a.b.c"))
            #expect(answer.status == 503 && answer.code == "storage_unavailable" && answer.header("retry-after") == "7")
            #expect(faults.map(\.count).reduce(0, +) == count)
        }
    }

    @Test("The guard tries another node if one answers 503, and refuses if every node does")
    func guardOfAnotherNode() throws {
        let fault = try RecordingResponder(.unavailable)
        let nginx = try front(behind: fault)
        let token = try nginx.backend.devLogin("guarded@example.com").accessToken
        // A node has two seconds for the guard.
        #expect(try (0..<5).contains { _ in try nginx.send(.get("/guarded/", bearer: token)).status == 200 })
        #expect(fault.count >= 1)
        nginx.backend.process.signal(SIGKILL)
        #expect(nginx.backend.process.wait() != nil)
        for _ in 1...3 {
            let refused = try nginx.send(.get("/guarded/", bearer: token))
            expectProblem(refused, 503, "service_unavailable")
            #expect(refused.header("retry-after") != nil)
        }
    }

    @Test("Without any node a request gets 502, and the first node that is back serves the next request")
    func back() throws {
        let (first, second) = try Self.twoNodes()
        let nginx = try ServerBehindNginx(
            before: second, values: ["RESPONDER": "unix:\(first.socket),unix:\(second.socket)"])
        let token = try nginx.backend.devLogin("back@example.com").accessToken
        for node in [first, second] {
            node.process.signal(SIGKILL)
            #expect(node.process.wait() != nil)
        }
        for _ in 1...3 { #expect(try nginx.send(.get("/api/users/me", bearer: token)).status == 502) }
        try second.restart()
        #expect(try nginx.send(.get("/api/users/me", bearer: token)).status == 200)
    }

    private static func twoNodes() throws -> (ServerProcess, ServerProcess) {
        let first = try ServerProcess()
        return (first, try ServerProcess(beside: first))
    }
}

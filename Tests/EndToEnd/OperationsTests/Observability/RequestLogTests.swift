import Foundation
import JSON
import StandIn
import TestSupport
import Testing

@testable import ServerSupport

@Suite("The request log")
struct RequestLogTests {
    /// The lines of the request log in order.
    private func lines(_ server: InProcessServer) throws -> [JSONObject] {
        try server.log.split(separator: "\n").map { try JSONValue(parsing: String($0)).object ?? [:] }
            .filter { $0["event"] == "request" }
    }

    @Test("Each request is one line with method, path, user, status and duration")
    func line() throws {
        let server = try InProcessServer()
        let login = try server.devLogin("line@example.com")
        _ = try server.me(login.accessToken)
        let all = try lines(server)
        #expect(all.count == 2)
        let line = all[1]
        #expect(
            line.names == [
                "time", "level", "event", "id", "method", "path", "status", "milliseconds", "user", "session",
            ])
        #expect(line["level"] == "info")
        #expect(line["id"] == "test-request")
        #expect(line["method"] == "GET")
        #expect(line["path"] == "/api/users/me")
        #expect(line["status"] == 200)
        #expect(line["user"]?.string == login.userID)
        #expect(line["session"]?.string?.hasPrefix("sess_") == true)
        #expect(all[0]["session"] == line["session"])
        guard case .number(let milliseconds)? = line["milliseconds"] else {
            return #expect(line["milliseconds"]?.integer != nil)
        }
        #expect(milliseconds >= 0 && milliseconds < 60_000)
    }

    /// W3C Trace Context, section 3.2.
    private static let traces = [
        ("00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01", true),
        ("cc-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01-later", true),
        ("00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01-later", false),
        ("ff-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01", false),
        ("00-4BF92F3577B34DA6A3CE929D0E0E4736-00f067aa0ba902b7-01", false),
        ("00-4bf92f3577b34da6a3ce929d0e0e473-00f067aa0ba902b7-01", false),
        ("00-00000000000000000000000000000000-00f067aa0ba902b7-01", false),
        ("00-4bf92f3577b34da6a3ce929d0e0e4736-0000000000000000-01", false),
        ("00-4bf92f3577b34da6a3ce929d0e0e4736", false), ("", false), ("a token", false),
    ]

    @Test("The trace of a request is in its line, and no other text of the header", arguments: traces)
    func trace(header: String, isValid: Bool) throws {
        let server = try InProcessServer()
        var request = TestRequest.get("/api/users/me")
        request.headers.append(("traceparent", header))
        _ = server.send(request)
        let line = try #require(try lines(server).last)
        #expect(line["traceId"] == (isValid ? "4bf92f3577b34da6a3ce929d0e0e4736" : nil))
    }

    @Test("A refused request is logged with the code and the reason of its response")
    func refusals() throws {
        let server = try InProcessServer()
        // A request does not inherit the user of the previous one on its thread.
        _ = try server.devLogin("before@example.com")
        _ = server.send(.get("/api/users/me"))
        _ = server.send(.post("/api/auth/apple", server.apple.login("001.late") { $0.claims = ["exp": 1] }))
        _ = server.send(.get("/somewhere/else"))
        _ = server.send(TestRequest(method: "BREW", path: "/api/users/me"))
        let all = try lines(server).dropFirst()
        #expect(
            all.map { $0["code"]?.string } == [
                "invalid_access_token", "invalid_apple_token", "not_found", "method_not_allowed",
            ])
        #expect(all.map { $0["reason"]?.string } == [nil, "expired", nil, nil])
        #expect(all.map { $0["path"]?.string } == ["/api/users/me", "/api/auth/apple", "unknown", "/api/users/me"])
        #expect(all.map { $0["method"]?.string } == ["GET", "POST", "GET", "OTHER"])
        #expect(all.allSatisfy { $0["level"] == "info" && $0["user"] == nil })
    }

    @Test("A refused request is logged with its user once the user is authenticated")
    func authenticatedUser() throws {
        let server = try InProcessServer()
        let login = try server.devLogin("known@example.com")
        _ = server.send(.post("/api/auth/logout", bearer: login.accessToken))
        #expect(try server.me(login.accessToken).code == "session_revoked")
        let line = try #require(try lines(server).last)
        #expect(line["code"] == "session_revoked")
        #expect(line["user"]?.string == login.userID)
    }

    @Test("Routine requests are logged only when they are refused")
    func routineRequests() throws {
        let server = try InProcessServer()
        let login = try server.devLogin("routine@example.com")
        _ = try server.verify(login.accessToken)
        _ = server.send(.get("/metrics"))
        _ = try server.verify("not-a-token")
        let paths = try lines(server).map { $0["path"]?.string }
        #expect(paths == ["/api/auth/dev-login", "/api/auth/verify"])
        #expect(try lines(server)[1]["code"] == "invalid_access_token")
    }

    @Test("Every line that is written during a request has its id")
    func requestIDInEveryLine() throws {
        let server = try ServerProcess()
        let login = try server.devLogin("faults@example.com")
        // Without the table, the query fails.
        try server.change("ALTER TABLE users RENAME TO lost")
        #expect(try server.me(login.accessToken).status == 503)
        var fault: Substring?
        _ = Eventually.holds {
            let lines = server.process.log.split(separator: "\n")
            fault = lines.first { $0.contains(#""event":"storage""#) && $0.contains("users") }
            return fault != nil
        }
        let line = try JSONValue(parsing: String(#require(fault)))
        #expect(line.object?["id"] == "test-request")
        #expect(!server.process.log.contains("faults@example.com"))
    }

    @Test("nginx's log, the server's log and the response have the same request id")
    func correlation() throws {
        let server = try SharedServers.nginx.get()
        let refused = try server.me("not-a-token")
        let id = try #require(refused["requestId"]?.string)
        #expect(
            Eventually.holds { server.accessLog.contains(id) && server.backend.process.log.contains(id) })
    }

    @Test("Lines have journal priorities only when standard error is the journal")
    func journal() throws {
        let server = try ServerProcess()
        let path = server.folder.file("journal.log")
        try Data().write(to: URL(fileURLWithPath: path))
        let status = try FileManager.default.attributesOfItem(atPath: path)
        let (device, inode) = (status[.systemNumber] as? Int ?? 0, status[.systemFileNumber] as? Int ?? 0)
        var variables = try TestSettings.standard(folder: server.folder.path, keysURL: server.apple.keysURL)
        variables["LISTEN"] = "unix:\(server.folder.file("j.sock"))"
        for (name, isJournal) in [("\(device):\(inode)", true), ("\(device):\(inode + 1)", false), ("", false)] {
            variables["JOURNAL_STREAM"] = name
            truncate(path, 0)
            let process = try ChildProcess([Executable.gatehouse, "serve"], environment: variables, log: path)
            #expect(Eventually.holds { process.log.contains("listening") })
            process.stop()
            let lines = process.log.split(separator: "\n")
            #expect(lines.contains { $0.contains("stopped") })
            #expect(lines.allSatisfy { $0.hasPrefix(isJournal ? "<" : "{") }, "\(name)")
            #expect(lines.contains { $0.hasPrefix("<6>{") } == isJournal)
        }
    }
}

import FakeApple
import Foundation
import JSON
import TestSupport
import Testing

@Suite("The request log")
struct RequestLogTests {
    /// The lines of the request log in order.
    private func lines(_ installation: InProcessInstallation) throws -> [JSONObject] {
        try installation.log.split(separator: "\n").map { try JSONValue(parsing: String($0)).object ?? [:] }
            .filter { $0["event"] == "request" }
    }

    @Test("Each request is one line with method, path, user, status and duration")
    func line() throws {
        let installation = try InProcessInstallation()
        let login = try installation.devLogin("line@example.com")
        _ = try installation.me(login.accessToken)
        let all = try lines(installation)
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

    @Test("A refused request is logged with the code and the reason of its response")
    func refusals() throws {
        let installation = try InProcessInstallation()
        _ = installation.send(.get("/api/users/me"))
        _ = installation.send(.post("/api/auth/apple", installation.apple.login("001.late") { $0.claims = ["exp": 1] }))
        _ = installation.send(.get("/somewhere/else"))
        _ = installation.send(TestRequest(method: "BREW", path: "/api/users/me"))
        let all = try lines(installation)
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
        let installation = try InProcessInstallation()
        let login = try installation.devLogin("known@example.com")
        _ = installation.send(.post("/api/auth/logout", bearer: login.accessToken))
        #expect(try installation.me(login.accessToken).code == "session_revoked")
        let line = try #require(try lines(installation).last)
        #expect(line["code"] == "session_revoked")
        #expect(line["user"]?.string == login.userID)
    }

    @Test("Routine requests are logged only when they are refused")
    func routineRequests() throws {
        let installation = try InProcessInstallation()
        let login = try installation.devLogin("routine@example.com")
        _ = try installation.verify(login.accessToken)
        _ = installation.send(.get("/metrics"))
        _ = try installation.verify("not-a-token")
        let paths = try lines(installation).map { $0["path"]?.string }
        #expect(paths == ["/api/auth/dev-login", "/api/auth/verify"])
        #expect(try lines(installation)[1]["code"] == "invalid_access_token")
    }

    @Test("A request does not inherit the user of the previous one on its thread")
    func noInheritedUser() throws {
        let installation = try InProcessInstallation()
        _ = try installation.devLogin("before@example.com")
        _ = installation.send(.get("/api/users/me"))
        #expect(try lines(installation).last?["user"] == nil)
    }

    @Test("Every line that is written during a request has its id")
    func requestIDInEveryLine() throws {
        let installation = try FastCGIInstallation()
        let login = try installation.devLogin("faults@example.com")
        // Without the table, the query fails.
        try installation.change("ALTER TABLE users RENAME TO lost")
        #expect(try installation.me(login.accessToken).status == 503)
        let log = Eventually.lines(of: installation) { $0.contains(#""event":"storage""#) && $0.contains("users") }
        let fault = try #require(log.first { $0.contains(#""event":"storage""#) && $0.contains("users") })
        #expect(!log.contains { $0.contains("faults@example.com") })
        #expect(try JSONValue(parsing: fault).object?["id"] == "test-request")
    }

    @Test("nginx's log, the server's log and the response have the same request id")
    func correlation() throws {
        let installation = try NginxInstallation()
        let refused = try installation.me("not-a-token")
        let id = try #require(refused["requestId"]?.string)
        #expect(
            Eventually.holds { installation.accessLog.contains(id) && installation.backend.process.log.contains(id) })
    }

    @Test("Lines have journal priorities only when standard error is the journal")
    func journal() throws {
        let installation = try FastCGIInstallation()
        let path = installation.folder.file("journal.log")
        try Data().write(to: URL(fileURLWithPath: path))
        let status = try FileManager.default.attributesOfItem(atPath: path)
        let (device, inode) = (status[.systemNumber] as? Int ?? 0, status[.systemFileNumber] as? Int ?? 0)
        var variables = try TestSettings.standard(folder: installation.folder.path, keysURL: installation.apple.keysURL)
        variables["LISTEN"] = "unix:\(installation.folder.file("j.sock"))"
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

extension Eventually {
    /// Waits for a line that matches and returns the whole log.
    fileprivate static func lines(of installation: FastCGIInstallation, where condition: (String) -> Bool) -> [String] {
        var lines: [String] = []
        _ = holds {
            lines = installation.process.log.split(separator: "\n").map(String.init)
            return lines.contains(where: condition)
        }
        return lines
    }
}

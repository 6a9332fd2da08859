import FakeApple
import Foundation
import JSON
import TestSupport
import Testing

@Suite("The log of requests")
struct RequestLogTests {
    /// What a house has written of requests, in order.
    private func lines(_ house: InProcessHouse) throws -> [JSONObject] {
        try house.log.split(separator: "\n").map { try JSONValue(parsing: String($0)).object ?? [:] }
            .filter { $0["event"] == "request" }
    }

    @Test("has a line for each: what was asked, by whom, what came of it, and how long it took")
    func line() throws {
        let house = try InProcessHouse()
        let login = try house.devLogin("line@example.com")
        _ = try house.me(login.accessToken)
        let all = try lines(house)
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

    @Test("says why a request was refused, in the words that the client got")
    func refusals() throws {
        let house = try InProcessHouse()
        _ = house.send(.get("/api/users/me"))
        _ = house.send(.post("/api/auth/apple", house.apple.login("001.late") { $0.claims = ["exp": 1] }))
        _ = house.send(.get("/somewhere/else"))
        _ = house.send(Call(method: "BREW", path: "/api/users/me"))
        let all = try lines(house)
        #expect(
            all.map { $0["code"]?.string } == [
                "invalid_access_token", "invalid_apple_token", "not_found", "method_not_allowed",
            ])
        #expect(all.map { $0["reason"]?.string } == [nil, "expired", nil, nil])
        #expect(all.map { $0["path"]?.string } == ["/api/users/me", "/api/auth/apple", "unknown", "/api/users/me"])
        #expect(all.map { $0["method"]?.string } == ["GET", "POST", "GET", "OTHER"])
        #expect(all.allSatisfy { $0["level"] == "info" && $0["user"] == nil })
    }

    @Test("names who was refused, where they have proven who they are")
    func known() throws {
        let house = try InProcessHouse()
        let login = try house.devLogin("known@example.com")
        _ = house.send(.post("/api/auth/logout", bearer: login.accessToken))
        #expect(try house.me(login.accessToken).code == "session_revoked")
        let line = try #require(try lines(house).last)
        #expect(line["code"] == "session_revoked")
        #expect(line["user"]?.string == login.userID)
    }

    @Test("is silent about what machines ask all the time, unless it was refused")
    func routine() throws {
        let house = try InProcessHouse()
        let login = try house.devLogin("routine@example.com")
        _ = try house.verify(login.accessToken)
        _ = house.send(.get("/metrics"))
        _ = try house.verify("no token of ours")
        let paths = try lines(house).map { $0["path"]?.string }
        #expect(paths == ["/api/auth/dev-login", "/api/auth/verify"])
        #expect(try lines(house)[1]["code"] == "invalid_access_token")
    }

    @Test("forgets who came before: the next request of the same thread is nobody's")
    func strangers() throws {
        let house = try InProcessHouse()
        _ = try house.devLogin("before@example.com")
        _ = house.send(.get("/api/users/me"))
        #expect(try lines(house).last?["user"] == nil)
    }

    @Test("has the id of the request in every line that was written on its way")
    func faults() throws {
        let house = try ServedHouse()
        let login = try house.devLogin("faults@example.com")
        // A table that is gone is a store that fails.
        try house.change("DROP TABLE users")
        #expect(try house.me(login.accessToken).status == 503)
        let log = Eventually.lines(of: house) { $0.contains(#""event":"storage""#) && $0.contains("users") }
        let fault = try #require(log.first { $0.contains(#""event":"storage""#) && $0.contains("users") })
        #expect(!log.contains { $0.contains("faults@example.com") })
        #expect(try JSONValue(parsing: fault).object?["id"] == "test-request")
    }

    @Test("has one id for a request, in nginx's line, in ours and in what the client got")
    func correlation() throws {
        let house = try FrontedHouse()
        let refused = try house.me("no token of ours")
        let id = try #require(refused["requestId"]?.string)
        #expect(Eventually.holds { house.accessLog.contains(id) && house.served.process.log.contains(id) })
    }

    @Test("has the journal's priorities where standard error is the journal, and nowhere else")
    func journal() throws {
        let house = try ServedHouse()
        let path = house.folder.file("journal.log")
        try Data().write(to: URL(fileURLWithPath: path))
        let status = try FileManager.default.attributesOfItem(atPath: path)
        let (device, inode) = (status[.systemNumber] as? Int ?? 0, status[.systemFileNumber] as? Int ?? 0)
        var variables = Settings.standard(folder: house.folder.path, keysURL: house.apple.keysURL)
        variables["LISTEN"] = "unix:\(house.folder.file("j.sock"))"
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
    /// The log of a house, once one of its lines is as expected.
    fileprivate static func lines(of house: ServedHouse, where condition: (String) -> Bool) -> [String] {
        var lines: [String] = []
        _ = holds {
            lines = house.process.log.split(separator: "\n").map(String.init)
            return lines.contains(where: condition)
        }
        return lines
    }
}

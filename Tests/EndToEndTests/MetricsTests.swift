import JSON
import Testing

@Suite("The metrics")
struct MetricsTests {
    private func value(_ house: any House, _ line: String) throws -> Int? {
        let answer = try house.send(.get("/metrics"))
        #expect(answer.status == 200)
        #expect(answer.header("content-type")?.hasPrefix("text/plain") == true)
        let lines = String(decoding: answer.body, as: UTF8.self).split(separator: "\n")
        return lines.first { $0.hasPrefix(line + " ") }.flatMap { Int($0.dropFirst(line.utf8.count + 1)) }
    }

    @Test("count logins, refreshes, reuse and ends of sessions by what came of them")
    func counts() throws {
        let house = try InProcessHouse()
        #expect(try value(house, "gatehouse_refresh_token_reuse_total") == 0)
        let login = try house.devLogin("metrics@example.com")
        _ = try house.devLogin("metrics@example.com")
        _ = house.send(.post("/api/auth/dev-login", ["email": "a@b.c", "devSecret": "wrong"]))
        let second = try house.refresh(login.refreshToken)
        _ = try house.refresh(login.refreshToken)
        _ = try house.refresh(second.refreshToken)
        #expect(try house.refresh(login.refreshToken).code == "refresh_token_reused")
        let expected = [
            #"gatehouse_logins_total{provider="dev",result="new_user"}"#: 1,
            #"gatehouse_logins_total{provider="dev",result="known_user"}"#: 1,
            #"gatehouse_logins_total{provider="dev",result="dev_secret"}"#: 1,
            #"gatehouse_refreshes_total{result="rotated"}"#: 2,
            #"gatehouse_refreshes_total{result="repeated"}"#: 1,
            #"gatehouse_refreshes_total{result="reused_token"}"#: 1,
            "gatehouse_refresh_token_reuse_total": 1,
            #"gatehouse_sessions_ended_total{reason="reuse"}"#: 1,
        ]
        for (line, count) in expected { #expect(try value(house, line) == count, "\(line)") }
    }

    @Test("are there for whoever reaches the socket")
    func served() throws {
        #expect(try value(Houses.of(.fastCGI), "gatehouse_refresh_token_reuse_total") != nil)
    }
}

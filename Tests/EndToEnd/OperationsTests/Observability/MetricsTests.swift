import JSON
import Testing

@testable import ServerSupport

@Suite("Metrics")
struct MetricsTests {
    private func value(_ server: any TestServer, _ line: String) throws -> Int? {
        let response = try server.send(.get("/metrics"))
        #expect(response.status == 200)
        #expect(response.header("content-type")?.hasPrefix("text/plain") == true)
        let lines = String(decoding: response.body, as: UTF8.self).split(separator: "\n")
        return lines.first { $0.hasPrefix(line + " ") }.flatMap { Int($0.dropFirst(line.utf8.count + 1)) }
    }

    @Test("Logins, refreshes, token reuse and ended sessions are counted by result")
    func counts() throws {
        let server = try InProcessServer()
        #expect(try value(server, "gatehouse_refresh_token_reuse_total") == 0)
        let login = try server.devLogin("metrics@example.com")
        _ = try server.devLogin("metrics@example.com")
        _ = server.send(.post("/api/auth/dev-login", ["email": "a@b.c", "devSecret": "wrong"]))
        let second = try server.refresh(login.refreshToken)
        _ = try server.refresh(login.refreshToken)
        _ = try server.refresh(second.refreshToken)
        server.advanceClock(by: .seconds(31))
        #expect(try server.refresh(login.refreshToken).code == "refresh_token_reused")
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
        for (line, count) in expected { #expect(try value(server, line) == count, "\(line)") }
    }

    @Test("The FastCGI socket serves the metrics")
    func onSocket() throws {
        #expect(try value(SharedServers.standard(.fastCGI), "gatehouse_refresh_token_reuse_total") != nil)
    }
}

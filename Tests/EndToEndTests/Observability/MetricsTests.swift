import JSON
import Testing

@Suite("Metrics")
struct MetricsTests {
    private func value(_ installation: any Installation, _ line: String) throws -> Int? {
        let response = try installation.send(.get("/metrics"))
        #expect(response.status == 200)
        #expect(response.header("content-type")?.hasPrefix("text/plain") == true)
        let lines = String(decoding: response.body, as: UTF8.self).split(separator: "\n")
        return lines.first { $0.hasPrefix(line + " ") }.flatMap { Int($0.dropFirst(line.utf8.count + 1)) }
    }

    @Test("Logins, refreshes, token reuse and ended sessions are counted by result")
    func counts() throws {
        let installation = try InProcessInstallation()
        #expect(try value(installation, "gatehouse_refresh_token_reuse_total") == 0)
        let login = try installation.devLogin("metrics@example.com")
        _ = try installation.devLogin("metrics@example.com")
        _ = installation.send(.post("/api/auth/dev-login", ["email": "a@b.c", "devSecret": "wrong"]))
        let second = try installation.refresh(login.refreshToken)
        _ = try installation.refresh(login.refreshToken)
        _ = try installation.refresh(second.refreshToken)
        installation.advanceClock(by: .seconds(31))
        #expect(try installation.refresh(login.refreshToken).code == "refresh_token_reused")
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
        for (line, count) in expected { #expect(try value(installation, line) == count, "\(line)") }
    }

    @Test("The FastCGI socket serves the metrics")
    func onSocket() throws {
        #expect(try value(SharedInstallations.standard(.fastCGI), "gatehouse_refresh_token_reuse_total") != nil)
    }
}

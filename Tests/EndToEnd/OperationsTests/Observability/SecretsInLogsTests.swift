import JSON
import TestSupport
import Testing

@testable import ServerSupport

@Suite("Secrets in logs")
struct SecretsInLogsTests {
    @Test("Mixed traffic leaves no secret and no personal data in the logs of the server and nginx")
    func secrets() throws {
        let fixture = try MixedTrafficFixture()
        try fixture.sendTraffic()
        // Stopping the server flushes its log.
        fixture.server.backend.process.stop()
        let logs = try fixture.logs()
        for sign in ["/api/auth/refresh", "invalid_apple_token", #""level":"debug""#, #""path":"/notes/*""#] {
            let isThere = logs.contains(sign)
            #expect(isThere, "\(sign)")
        }
        #expect(fixture.secrets.count > 40)
        let lines = logs.split(separator: "\n")
        let leaked = fixture.secrets.compactMap { secret in
            lines.first { $0.contains(secret) }.map { "\(secret) in \($0)" }
        }
        #expect(leaked == [])
    }
}

import JSON
import TestSupport
import Testing

@Suite("The logs of a busy day")
struct QuietLogTests {
    @Test("hold nothing of what was secret, or somebody's own: not the server's, not nginx's")
    func secrets() throws {
        let day = try BusyDay()
        try day.pass()
        // Stopped first, so that what it had to say is there.
        day.house.served.process.stop()
        let logs = try day.logs()
        for sign in ["/api/auth/refresh", "invalid_apple_token", #""level":"debug""#, #""path":"/notes/*""#] {
            let isThere = logs.contains(sign)
            #expect(isThere, "\(sign)")
        }
        #expect(day.secrets.count > 40)
        let lines = logs.split(separator: "\n")
        let told = day.secrets.compactMap { secret in
            lines.first { $0.contains(secret) }.map { "\(secret) in \($0)" }
        }
        #expect(told == [])
    }
}

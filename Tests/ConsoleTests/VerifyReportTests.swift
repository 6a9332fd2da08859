import JSON
import Processes
import Testing

@testable import Console

@Suite("The table of a refused token")
struct VerifyReportTests {
    @Test("Has the lines of gatehouse apple verify, and its verdict")
    func refused() throws {
        let report = VerifyReport(
            Subprocess.Outcome(
                status: 1, output: "audience: The identity token was issued for x.\n",
                errorOutput: """
                    ok     key id      wzXjNVpB8S
                    FAULT  audience    com.example.other is not one of com.example.app
                    -      used        not checked: only the server knows

                    """))
        #expect(report.checks.map(\.result) == ["ok", "fault", "skipped"])
        #expect(report.checks.map(\.name) == ["key id", "audience", "used"])
        #expect(report.checks[1].text == "com.example.other is not one of com.example.app")
        #expect(!report.isAccepted && report.message == "audience: The identity token was issued for x.")
    }

    @Test("A command that cannot verify has no table, and says why")
    func failed() {
        let report = VerifyReport(
            Subprocess.Outcome(status: 2, errorOutput: "gatehouse: the configuration is not usable\n"))
        #expect(report.checks.isEmpty && report.message == "gatehouse: the configuration is not usable")
    }

    @Test("A token that is valid in itself is accepted")
    func accepted() {
        let report = VerifyReport(
            Subprocess.Outcome(status: 0, output: "{}", errorOutput: "ok     form        three parts, 917 bytes\n"))
        #expect(report.isAccepted && report.message == nil && report.checks.count == 1)
    }
}

import JSON
import Testing

@testable import Console
@testable import Processes

@Suite("The checks of a refused token")
struct VerifyReportTests {
    @Test("Are the document of gatehouse apple verify")
    func document() {
        let report = VerifyReport.json(
            Subprocess.Outcome(status: 1, output: #"{"ok":false,"checks":[{"subject":"form"}]}"# + "\n"))
        #expect(report == ["ok": false, "checks": [["subject": "form"]]])
    }

    @Test("A command that cannot verify has none, and says why")
    func failed() {
        let report = VerifyReport.json(
            Subprocess.Outcome(status: 2, errorOutput: "gatehouse: the configuration is not usable:\n  x\n"))
        #expect(report["checks"] == [] && report["detail"] == "gatehouse: the configuration is not usable:")
    }
}

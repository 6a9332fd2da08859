import GatehouseServer
import Testing

@testable import GatehouseCommand

@Suite("The check of the last reload")
struct ReloadCheckTests {
    @Test(
        "evaluates the server's metric, and notes a missing one",
        arguments: [
            ("1", .ok), ("0", .fault), ("NaN", .note), (nil, .note),
        ] as [(String?, Finding.Grade)])
    func judgement(value: String?, grade: Finding.Grade) {
        let name = ReloadCheck.metric
        let line = value.map { "\(name) \($0)\n" } ?? ""
        let metrics = "# TYPE \(name) gauge\n\(line)\(name)_of_another 0\ngatehouse_workers 64\n"
        let findings = ReloadCheck(listen: .unix(path: "/x")).evaluate(metrics)
        #expect(findings.map(\.grade) == [grade])
    }
}

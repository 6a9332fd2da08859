import Foundation
import JSON
import TestSupport
import Testing

/// The names of metrics in an expression of PromQL.
private func metrics(in expression: String) -> Set<String> {
    Set(expression.matches(of: /\b(?:gatehouse|process)_[a-z_]+/).map { String($0.output) })
}

@Suite("What watches over Gatehouse")
struct MonitoringTests {
    private static let folder = Executable.root + "/deploy/monitoring/"

    /// What a house tells after a busy day, and which metrics are in it; made once.
    private static let told = Result { () throws -> (text: String, names: Set<String>) in
        let day = try BusyDay()
        try day.pass()
        let answer = try day.ask("/metrics")
        #expect(answer.status == 200)
        let text = String(decoding: answer.body, as: UTF8.self)
        let names = text.split(separator: "\n").filter { !$0.hasPrefix("#") }.map { line in
            String(line.prefix { $0 != "{" && $0 != " " })
        }
        return (text, Set(names))
    }

    @Test("is told metrics that Prometheus has nothing to say against, after a busy day")
    func valid() throws {
        let text = try Self.told.get().text
        let outcome = try Shell.outcome(of: ["promtool", "check", "metrics"], input: Array(text.utf8))
        #expect(outcome.status == 0)
        #expect(outcome.complaint == "")
        #expect(outcome.text == "")
    }

    @Test("is told each number once")
    func unique() throws {
        let lines = try Self.told.get().text.split(separator: "\n").filter { !$0.hasPrefix("#") }
            .map { $0.prefix(through: $0.lastIndex(of: " ") ?? $0.startIndex) }
        #expect(Set(lines).count == lines.count)
        #expect(lines.count < 1500)
    }

    @Test("is told of what a busy day was like")
    func numbers() throws {
        let lines = Set(try Self.told.get().text.split(separator: "\n").map(String.init))
        for line in [
            #"gatehouse_logins_total{provider="apple",result="new_user"} 2"#,
            #"gatehouse_logins_total{provider="apple",result="audience"} 1"#, "gatehouse_refresh_token_reuse_total 1",
            #"gatehouse_apple_notifications_total{kind="consent_revoked"} 1"#, "gatehouse_store_readable 1",
            #"gatehouse_apple_key_fetches_total{result="failed"} 0"#, "gatehouse_log_lines_dropped_total 0",
            #"gatehouse_http_requests_total{route="/api/auth/dev-login",method="POST",status="200"} 1"#,
            "gatehouse_last_backup_timestamp_seconds 0.0",
        ] { #expect(lines.contains(line), "\(line)") }
        #expect(!lines.contains { $0.hasPrefix("gatehouse_store_commit_writes_count 0") })
    }

    @Test("reads rules and a configuration that Prometheus takes")
    func rules() throws {
        for check in [["check", "rules", "gatehouse.rules.yml"], ["check", "config", "prometheus.yml"]] {
            let command = ["promtool"] + check.dropLast() + [Self.folder + check[2]]
            let outcome = try Shell.outcome(of: command)
            #expect(outcome.status == 0, "\(outcome.text)\(outcome.complaint)")
        }
    }

    @Test("cries out when it should, and is silent when it should be")
    func alerts() throws {
        let outcome = try Shell.outcome(of: ["promtool", "test", "rules", Self.folder + "gatehouse.rules.test.yml"])
        #expect(outcome.status == 0, "\(outcome.text)\(outcome.complaint)")
        let rules = try text("gatehouse.rules.yml").matches(of: /- alert: (\w+)/).map { String($0.output.1) }
        let tests = try text("gatehouse.rules.test.yml")
        #expect(rules.count > 15)
        for rule in rules {
            #expect(tests.contains("name: \(rule) fires"), "\(rule)")
            #expect(tests.contains("name: \(rule) is silent"), "\(rule)")
        }
    }

    @Test("asks in its rules for nothing that is not told, and says where to read on")
    func rulesAndMetrics() throws {
        let rules = try text("gatehouse.rules.yml")
        let known = try Self.told.get().names
        #expect(metrics(in: rules).subtracting(known) == [])
        for name in rules.matches(of: /- alert: (\w+)/).map(\.output.1) {
            #expect(rules.contains("runbook: Operations.md#\(name)\n"), "\(name)")
        }
    }

    @Test("shows on its dashboard what is told, all of it, and nothing else")
    func dashboard() throws {
        let board = try #require(try JSONValue(parsing: Array(text("grafana/gatehouse.json").utf8)).object)
        let panels = try #require(board["panels"]?.array).compactMap(\.object)
        let targets = panels.flatMap { $0["targets"]?.array ?? [] }.compactMap(\.object)
        let expressions = targets.compactMap { $0["expr"]?.string }
        #expect(expressions.count == targets.count && expressions.count > 30)
        let shown = expressions.reduce(into: Set<String>()) { $0.formUnion(metrics(in: $1)) }
        let known = try Self.told.get().names
        #expect(shown.subtracting(known) == [])
        // Of a histogram, its buckets are enough.
        let families = known.filter { !$0.hasSuffix("_sum") && !$0.hasSuffix("_count") }
        #expect(families.subtracting(shown) == [])
        #expect(Set(panels.compactMap { $0["id"]?.integer }).count == panels.count)
        for target in targets { #expect(target["datasource"]?.object?["uid"] == "${datasource}") }
        let variables = board["templating"]?.object?["list"]?.array?.compactMap { $0.object?["name"]?.string }
        #expect(variables == ["datasource", "job", "instance"])
        try expectPromQL(expressions)
    }

    /// What Grafana fills in is filled in, and Prometheus reads the rest.
    private func expectPromQL(_ expressions: [String]) throws {
        let rules = expressions.enumerated().map { number, expression in
            let filled = expression.replacing("$__rate_interval", with: "1m").replacing("$job", with: "gatehouse")
                .replacing("$instance", with: "a")
            return "      - record: panel:number_\(number)\n        expr: |\n          \(filled)\n"
        }
        let folder = try TemporaryFolder()
        let file = folder.file("panels.yml")
        try ("groups:\n  - name: panels\n    rules:\n" + rules.joined()).write(
            toFile: file, atomically: true, encoding: .utf8)
        let outcome = try Shell.outcome(of: ["promtool", "check", "rules", file])
        #expect(outcome.status == 0, "\(outcome.text)\(outcome.complaint)")
    }

    private func text(_ name: String) throws -> String {
        try String(contentsOfFile: Self.folder + name, encoding: .utf8)
    }
}

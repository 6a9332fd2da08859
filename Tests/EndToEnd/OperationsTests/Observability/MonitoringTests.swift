import Foundation
import JSON
import StoreSupport
import TestSupport
import Testing

@testable import ServerSupport

/// The metric names in a PromQL expression.
private func metrics(in expression: String) -> Set<String> {
    Set(expression.matches(of: /\b(?:gatehouse|process)_[a-z_]+/).map { String($0.output) })
}

/// The dashboard as Grafana stores it.
private struct Dashboard {
    let json: JSONObject
    let panels: [JSONObject]
    let targets: [JSONObject]
    let expressions: [String]

    init(parsing text: String) throws {
        json = try #require(try JSONValue(parsing: Array(text.utf8)).object)
        panels = try #require(json["panels"]?.array).compactMap(\.object)
        targets = panels.flatMap { $0["targets"]?.array ?? [] }.compactMap(\.object)
        expressions = targets.compactMap { $0["expr"]?.string }
    }
}

@Suite("Monitoring")
struct MonitoringTests {
    private static let folder = Executable.root + "/deploy/monitoring/"

    /// The metrics after mixed traffic and their names. Created once.
    private static let scrape = Result { () throws -> (text: String, names: Set<String>) in
        let fixture = try MixedTrafficFixture()
        try fixture.sendTraffic()
        let response = try fixture.sendLocally("/metrics")
        #expect(response.status == 200)
        let text = String(decoding: response.body, as: UTF8.self)
        return (text, names(in: text))
    }

    private static func names(in metrics: String) -> Set<String> {
        Set(
            metrics.split(separator: "\n").filter { !$0.hasPrefix("#") }.map { line in
                String(line.prefix { $0 != "{" && $0 != " " })
            })
    }

    /// The names of the metrics on either database. Created once.
    private static let allNames = Result { () throws -> Set<String> in
        let folder = try TemporaryFolder()
        let addresses = ["sqlite:" + folder.file("g.db"), try TemporaryPostgreSQL.shared.get().database()]
        let providers = try ProviderFixture.shared.get().folder.path
        return try addresses.reduce(into: try scrape.get().names) { known, address in
            let server = try ServerProcess { variables in
                variables["DATABASE_URL"] = address
                variables["PROVIDERS_DIR"] = providers
                // A receiver has metrics also while it does not answer.
                variables["EVENTS_URL"] = "http://127.0.0.1:9/events"
                variables["EVENTS_SECRET"] = "whsec_5WbX0kEsLlfzGqJrLiJxPqO7cXk2b1mD"
            }
            known.formUnion(names(in: String(decoding: try server.send(.get("/metrics")).body, as: UTF8.self)))
        }
    }

    @Test("promtool accepts the metrics after mixed traffic", .needs(.promtool))
    func valid() throws {
        let text = try Self.scrape.get().text
        let outcome = try Shell.outcome(of: ["promtool", "check", "metrics"], input: Array(text.utf8))
        #expect(outcome.status == 0)
        #expect(outcome.errorOutput == "")
        #expect(outcome.text == "")
    }

    @Test("Each time series appears once")
    func unique() throws {
        let lines = try Self.scrape.get().text.split(separator: "\n").filter { !$0.hasPrefix("#") }
            .map { $0.prefix(through: $0.lastIndex(of: " ") ?? $0.startIndex) }
        #expect(Set(lines).count == lines.count)
        #expect(lines.count < 1650)
    }

    @Test("The metrics count the traffic", .enabled(if: !TestDatabase.isOnServer, "about a file"))
    func numbers() throws {
        let lines = Set(try Self.scrape.get().text.split(separator: "\n").map(String.init))
        for line in [
            #"gatehouse_logins_total{provider="apple",result="new_user"} 2"#,
            #"gatehouse_logins_total{provider="apple",result="audience"} 1"#, "gatehouse_refresh_token_reuse_total 1",
            #"gatehouse_apple_notifications_total{kind="consent_revoked"} 1"#, "gatehouse_store_readable 1",
            #"gatehouse_apple_key_fetches_total{result="failed"} 0"#, "gatehouse_log_lines_dropped_total 0",
            #"gatehouse_http_requests_total{route="/api/auth/dev-login",method="POST",status="200"} 2"#,
            "gatehouse_last_backup_timestamp_seconds 0.0",
            #"gatehouse_logins_total{provider="dev",result="new_user"} 1"#,
            #"gatehouse_logins_total{provider="dev",result="known_user"} 1"#,
            #"gatehouse_logins_total{provider="dev",result="dev_secret"} 1"#,
            #"gatehouse_refreshes_total{result="rotated"} 2"#, #"gatehouse_refreshes_total{result="repeated"} 1"#,
            #"gatehouse_refreshes_total{result="reused_token"} 1"#,
            #"gatehouse_sessions_ended_total{reason="reuse"} 1"#,
        ] { #expect(lines.contains(line), "\(line)") }
        #expect(!lines.contains { $0.hasPrefix("gatehouse_store_commit_writes_count 0") })
    }

    @Test("promtool accepts the rules and the configuration", .needs(.promtool))
    func rules() throws {
        for check in [["check", "rules", "gatehouse.rules.yml"], ["check", "config", "prometheus.yml"]] {
            let command = ["promtool"] + check.dropLast() + [Self.folder + check[2]]
            let outcome = try Shell.outcome(of: command)
            #expect(outcome.status == 0, "\(outcome.text)\(outcome.errorOutput)")
        }
    }

    @Test("Each alert fires when it should and is silent when it should be", .needs(.promtool))
    func alerts() throws {
        let outcome = try Shell.outcome(of: ["promtool", "test", "rules", Self.folder + "gatehouse.rules.test.yml"])
        #expect(outcome.status == 0, "\(outcome.text)\(outcome.errorOutput)")
        let rules = try text("gatehouse.rules.yml").matches(of: /- alert: (\w+)/).map { String($0.output.1) }
        let tests = try text("gatehouse.rules.test.yml")
        #expect(rules.count > 15)
        for rule in rules {
            #expect(tests.contains("name: \(rule) fires"), "\(rule)")
            #expect(tests.contains("name: \(rule) is silent"), "\(rule)")
        }
    }

    @Test("The rules use only existing metrics, and each alert has a runbook")
    func rulesAndMetrics() throws {
        let rules = try text("gatehouse.rules.yml")
        let known = try Self.allNames.get()
        #expect(metrics(in: rules).subtracting(known) == [])
        for name in rules.matches(of: /- alert: (\w+)/).map(\.output.1) {
            #expect(rules.contains("runbook: Observability.md#\(name)\n"), "\(name)")
        }
    }

    @Test("The dashboard shows all metrics and uses only existing ones")
    func dashboard() throws {
        let board = try Dashboard(parsing: text("grafana/gatehouse.json"))
        let expressions = board.expressions
        #expect(expressions.count == board.targets.count && expressions.count > 30)
        let shown = expressions.reduce(into: Set<String>()) { $0.formUnion(metrics(in: $1)) }
        let known = try Self.allNames.get()
        #expect(shown.subtracting(known) == [])
        // The buckets of a histogram are enough.
        let families = known.filter { !$0.hasSuffix("_sum") && !$0.hasSuffix("_count") }
        #expect(families.subtracting(shown) == [])
        #expect(Set(board.panels.compactMap { $0["id"]?.integer }).count == board.panels.count)
        for target in board.targets { #expect(target["datasource"]?.object?["uid"] == "${datasource}") }
        let variables = board.json["templating"]?.object?["list"]?.array?.compactMap { $0.object?["name"]?.string }
        #expect(variables == ["datasource", "job", "instance"])
    }

    /// Checked with values for Grafana's variables.
    @Test("promtool accepts the expressions of the dashboard", .needs(.promtool))
    func dashboardExpressions() throws {
        let board = try Dashboard(parsing: text("grafana/gatehouse.json"))
        let rules = board.expressions.enumerated().map { number, expression in
            let filled = expression.replacing("$__rate_interval", with: "1m").replacing("$job", with: "gatehouse")
                .replacing("$instance", with: "a")
            return "      - record: panel:number_\(number)\n        expr: |\n          \(filled)\n"
        }
        let folder = try TemporaryFolder()
        let file = folder.file("panels.yml")
        try ("groups:\n  - name: panels\n    rules:\n" + rules.joined()).write(
            toFile: file, atomically: true, encoding: .utf8)
        let outcome = try Shell.outcome(of: ["promtool", "check", "rules", file])
        #expect(outcome.status == 0, "\(outcome.text)\(outcome.errorOutput)")
    }

    private func text(_ name: String) throws -> String {
        try String(contentsOfFile: Self.folder + name, encoding: .utf8)
    }
}

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

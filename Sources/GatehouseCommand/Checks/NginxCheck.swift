import GatehouseServer
import POSIX

/// nginx in front of the server: whether it runs, takes its configuration, and has our site in it.
struct NginxCheck: Check {
    struct Facts {
        var isInstalled = true
        var isRunning = true
        /// What `nginx -T` printed, or why it did not end; nil where it was not run, because only root can.
        var test: Result<Subprocess.Outcome, POSIXError>?
    }

    let subject = "nginx"
    let facts: Facts
    let configuration: NginxConfiguration?
    /// False where another front serves, which `PUBLIC_URL=off` says.
    let isExpected: Bool

    private static let places = ["/usr/sbin/nginx", "/usr/local/sbin/nginx", "/usr/bin/nginx"]

    /// Asks nginx at once: later, root may have been given up.
    init(processes: NginxProcesses, isExpected: Bool) {
        let nginx = Subprocess(Self.places)
        let test =
            Privileges.areRoots
            ? nginx.map { nginx in Result { () throws(POSIXError) in try nginx.run(["-T"]) } } : nil
        self.init(
            facts: Facts(isInstalled: nginx != nil, isRunning: processes.isRunning, test: test), isExpected: isExpected)
    }

    init(facts: Facts, isExpected: Bool) {
        self.facts = facts
        self.isExpected = isExpected
        configuration = (try? facts.test?.get()).flatMap { $0.status == 0 ? NginxConfiguration(dump: $0.output) : nil }
    }

    func look() -> [Finding] {
        let faults = judge()
        let message = configuration == nil ? "it runs" : "it runs, and its configuration has our site"
        let notes = facts.test == nil && facts.isInstalled ? [denial] : []
        return (faults.isEmpty ? [.ok(message)] : faults) + notes
    }

    private var denial: Finding { .note("its configuration was not looked at: only root can", "sudo gatehouse check") }

    private func judge() -> [Finding] {
        guard facts.isInstalled else {
            return isExpected
                ? [.fault("nginx is not installed", "apt install nginx; gatehouse-nginx")]
                : [.note("nginx is not installed, and PUBLIC_URL=off says that another front serves")]
        }
        let stopped = Finding.fault(
            "nginx is not running", "nginx -t; systemctl start nginx; journalctl -u nginx -n 20")
        return (facts.isRunning ? [] : [isExpected ? stopped : .note(stopped.message, stopped.advice)])
            + (facts.test.flatMap(judge).map { [$0] } ?? [])
    }

    private func judge(_ test: Result<Subprocess.Outcome, POSIXError>) -> Finding? {
        let outcome: Subprocess.Outcome
        do throws(POSIXError) { outcome = try test.get() } catch {
            return graded("its configuration was not looked at: \(error)", "nginx -t")
        }
        guard let configuration else {
            return .fault(
                "nginx refuses its configuration, and would not start again: \(Self.reason(in: outcome.complaint))",
                "mend that, then: nginx -t && systemctl reload-or-restart nginx")
        }
        let enable =
            "gatehouse-nginx; ls /etc/nginx/sites-enabled; nginx.conf has to include conf.d/*.conf and sites-enabled/*"
        if !configuration.hasUpstream {
            return graded(
                "nginx's configuration has no upstream gatehouse: conf.d/gatehouse.conf is not included", enable)
        }
        guard configuration.hasSite else {
            return graded(
                "nginx's configuration has no site that passes /api/ to Gatehouse",
                "ln -s ../sites-available/gatehouse.conf /etc/nginx/sites-enabled/ && nginx -t && systemctl reload nginx; "
                    + "or gatehouse-nginx")
        }
        return nil
    }

    /// What stands behind the level, and behind the process that the log's form has.
    private static func reason(in complaint: String) -> String {
        guard let match = complaint.firstMatch(of: /\[emerg\] (?:[0-9]+#[0-9]+: )?([^\n]+)/) else {
            return "see nginx -t"
        }
        return String(match.1)
    }

    private func graded(_ message: String, _ advice: String) -> Finding {
        isExpected ? .fault(message, advice) : .note(message, advice)
    }
}

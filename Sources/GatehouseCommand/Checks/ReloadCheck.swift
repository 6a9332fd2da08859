import GatehouseServer

/// Whether the running server took its settings at its last reload. Of what has changed since, this says nothing.
struct ReloadCheck: Check {
    static let metric = "gatehouse_config_last_reload_successful"

    let subject = "reload"
    let listen: ListenAddress

    func look() -> [Finding] {
        // Of a server that does not answer, another check tells.
        guard let metrics = try? ServerQuery(at: listen).metrics(within: ServerQuery.Patience.metrics) else {
            return [.note("not looked at: no server tells its metrics at \(listen)")]
        }
        return judge(metrics)
    }

    func judge(_ metrics: String) -> [Finding] {
        let line = metrics.split(separator: "\n").first { $0.hasPrefix(Self.metric + " ") }
        switch line?.split(separator: " ").last {
        case "1": return [.ok("the server took the settings at its last reload")]
        case "0":
            let message = "the server refused the settings at its last reload, and works with those before"
            return [.fault(message, "gatehouse check --settings names the faults; then systemctl reload gatehouse")]
        default: return [.note("the server does not tell how its last reload went", "systemctl restart gatehouse")]
        }
    }
}

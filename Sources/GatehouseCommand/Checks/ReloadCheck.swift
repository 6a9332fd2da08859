import GatehouseServer

/// Whether the running server works with the settings as they are now, or refused them at its last reload.
struct ReloadCheck: Check {
    static let metric = "gatehouse_config_last_reload_successful"

    let subject = "reload"
    let listen: ListenAddress

    func look() -> [Finding] {
        guard let metrics = try? ServerQuery(at: listen).metrics(within: ServerCheck.patience) else {
            return [.note("not looked at: no server tells its metrics at \(listen)")]
        }
        return judge(metrics)
    }

    func judge(_ metrics: String) -> [Finding] {
        let isRefused = metrics.split(separator: "\n").contains("\(Self.metric) 0")
        guard isRefused else { return [.ok("the server took the settings at its last reload")] }
        return [
            .fault(
                "the server refused the settings at its last reload, and works with those before",
                "gatehouse check --settings names the faults; then systemctl reload gatehouse")
        ]
    }
}

import FileSystem
import GatehouseServer
import Processes
import Sockets

/// The readiness of the running server.
struct ServerCheck: Check {
    let subject = "server"
    let listen: ListenAddress

    func run() -> [Finding] {
        guard SocketProbe.outcome(at: listen.socketAddress) == .listening else {
            return [.note("not checked: no server listens at \(listen)")]
        }
        do throws(ServerQuery.Fault) {
            return evaluate(
                ServerReport(document: try ServerQuery(at: listen).readiness(within: ServerQuery.Timeout.readiness)))
        } catch {
            return [.fault("\(error)", "systemctl status gatehouse; journalctl -u gatehouse -n 50")]
        }
    }

    func evaluate(_ report: ServerReport) -> [Finding] {
        let faults = report.parts.filter { !$0.isReady }
            .map { Finding.fault($0.detail, "journalctl -u gatehouse -p warning -n 50") }
        guard faults.isEmpty else { return faults }
        return report.isReady
            ? [.ok("ready")]
            : [.fault("not ready, without a reason", "journalctl -u gatehouse -n 50")]
    }
}

/// Whether the running server accepted the settings at its last reload. Later changes of the settings are not compared.
struct ReloadCheck: Check {
    static let metric = "gatehouse_config_last_reload_successful"

    let subject = "reload"
    let listen: ListenAddress

    func run() -> [Finding] {
        // `ServerCheck` reports a server that does not answer.
        guard let metrics = try? ServerQuery(at: listen).metrics(within: ServerQuery.Timeout.metrics) else {
            return [.note("not checked: no server answers at \(listen)")]
        }
        return evaluate(metrics)
    }

    func evaluate(_ metrics: String) -> [Finding] {
        let line = metrics.split(separator: "\n").first { $0.hasPrefix(Self.metric + " ") }
        switch line?.split(separator: " ").last {
        case "1": return [.ok("the server accepted the settings at its last reload")]
        case "0":
            let message = "the server rejected the settings at its last reload, and uses the previous ones"
            let faults = "gatehouse check --settings and journalctl -u gatehouse -g reload -n 20 name the faults"
            return [.fault(message, "\(faults); then: systemctl reload gatehouse")]
        default: return [.note("the server does not report its last reload", "systemctl restart gatehouse")]
        }
    }
}

/// Whether the limit of open files allows for as many connections as nginx may open.
struct LimitsCheck: Check {
    /// The process or unit whose limit is checked.
    enum Subject: Equatable {
        case server(process: Int)
        /// The limit of the unit for its next process.
        case unit
        /// The limit of this command, which a server started in the same way would have.
        case command
    }

    let subject = "limits"
    let workers: Int
    let need: DescriptorNeed
    let service: UnitStatus?

    func run() -> [Finding] {
        if let process = service?.process, let limit = Self.limit(of: process) {
            return [evaluate(limit, of: .server(process: process))]
        }
        if let limit = service?.descriptorLimit { return [evaluate(limit, of: .unit)] }
        return [evaluate(DescriptorLimit.maximum, of: .command)]
    }

    /// The soft limit, which the server raises at its start as far as possible.
    private static func limit(of process: Int) -> Int? {
        guard let bytes = try? File.read("/proc/\(process)/limits", atMost: 16_384) else { return nil }
        return limit(parsing: String(decoding: bytes, as: UTF8.self))
    }

    static func limit(parsing text: String) -> Int? {
        let name = "Max open files"
        guard let line = text.split(separator: "\n").first(where: { $0.hasPrefix(name) }) else { return nil }
        let soft = line.dropFirst(name.utf8.count).split(separator: " ").first
        return soft == "unlimited" ? .max : soft.flatMap { Int($0) }
    }

    func evaluate(_ limit: Int, of subject: Subject) -> Finding {
        let (own, maximum) = (need.own, need.maximum)
        let place =
            switch subject {
            case .server(let process): "to the server (process \(process))"
            case .unit: "by gatehouse.service"
            case .command: "here"
            }
        let allowed = "\(limit == .max ? "unlimited" : "\(limit)") open files are allowed \(place)"
        let advice =
            subject == .command
            ? "ulimit -n 65536 before the server starts, or fewer WORKERS"
            : "systemctl edit gatehouse: LimitNOFILE=65536 in [Service], or fewer WORKERS; then: systemctl restart gatehouse"
        if limit < own + 16 { return .fault("\(allowed), but \(workers) workers need \(own)", advice) }
        if limit < maximum { return .note("\(allowed), which is enough for \(limit - own) connections", advice) }
        return .ok("\(allowed), and at most \(maximum) are needed")
    }
}

import FileSystem
import GatehouseServer
import POSIX

/// Whether the systemd units of the service run, and start at boot.
struct UnitsCheck: Check {
    let subject = "units"
    let units: Units
    let listen: ListenAddress?
    /// Only a database in a file has daily backups.
    var hasDatabaseFile = true

    func run() -> [Finding] {
        guard case .unix(let path)? = listen else { return evaluate(missingSocketFile: nil) }
        return evaluate(missingSocketFile: File.isMissing(path) ? path : nil)
    }

    func evaluate(missingSocketFile path: String?) -> [Finding] {
        let (socket, service) = (units[Units.socket], units[Units.service])
        var faults = stateFaults(socket, service)
        if let path, let socket, socket.isActive {
            let message = "\(socket.name) is active, but its file \(path) is missing: nginx cannot connect"
            faults.append(.fault(message, "systemctl restart gatehouse"))
        }
        if let other = foreignSocket { faults.append(other) }
        faults += units.all.filter(isFailedHelper).map(failure)
        let notes = bootNotes + reloadNotes
        return faults.isEmpty ? [.ok("the socket and the service are active")] + notes : faults + notes
    }

    /// systemd opens the socket, so that LISTEN alone changes where nginx and the commands look for the server.
    private var foreignSocket: Finding? {
        guard let socket = units[Units.socket], socket.isActive, let address = socket.address, let listen,
            listen.place != address
        else { return nil }
        return .fault(
            "LISTEN is \(listen), and \(socket.name) listens at \(address): the server is not where it is looked for",
            "remove LISTEN; or systemctl edit gatehouse.socket, with ListenStream= and ListenStream=\(listen.place) in "
                + "[Socket], then: systemctl restart gatehouse.socket gatehouse")
    }

    private func stateFaults(_ socket: UnitStatus?, _ service: UnitStatus?) -> [Finding] {
        let isStopped = [socket, service].map { $0.map { $0.loadState == "loaded" && $0.state == "inactive" } ?? false }
        if isStopped == [true, true] {
            return [.fault("\(Units.socket) and \(Units.service) are stopped", Self.start)]
        }
        return [socket, service].compactMap { $0 }.compactMap(fault)
    }

    private static let start =
        "systemctl start gatehouse; if that fails: journalctl -u gatehouse -u gatehouse-setup -n 20"

    private func fault(_ unit: UnitStatus) -> Finding? {
        let log = "journalctl -u \(unit.name) -p warning -n 20"
        if unit.loadState == "masked" {
            return .fault(
                "\(unit.name) is masked: it cannot start", "systemctl unmask \(unit.name); then: \(Self.start)")
        }
        if unit.loadState != "loaded" {
            return .fault(
                "systemd cannot load \(unit.name): \(unit.loadState)",
                "systemctl cat \(unit.name); correct its files, then: systemctl daemon-reload && systemctl start gatehouse"
            )
        }
        if unit.isRestarting {
            return .fault("\(unit.name) keeps failing: \(unit.restarts) restarts so far", log)
        }
        switch unit.state {
        case "failed":
            let start =
                unit.name == Units.socket ? "systemctl restart gatehouse.socket gatehouse" : "systemctl start gatehouse"
            return .fault("\(unit.name) has failed (\(unit.result))", "\(log); correct the cause, then: \(start)")
        case "activating" where unit.restarts > 2:
            return .fault("\(unit.name) does not start: \(unit.restarts) restarts so far", log)
        case "inactive": return .fault("\(unit.name) is stopped", Self.start)
        default: return nil
        }
    }

    /// A failed unit other than the socket and the service, such as the backup or a hook of the operator.
    private func isFailedHelper(_ unit: UnitStatus) -> Bool {
        unit.hasFailed && unit.name.hasPrefix("gatehouse") && unit.name != Units.socket && unit.name != Units.service
    }

    private func failure(_ unit: UnitStatus) -> Finding {
        .fault(
            "\(unit.name) has failed (\(unit.result))",
            "journalctl -u \(unit.name) -n 20; after correcting the cause: systemctl reset-failed \(unit.name)")
    }

    private var bootNotes: [Finding] {
        let timer = hasDatabaseFile ? [Units.timer] : []
        let missing = ([Units.socket, Units.service] + timer + [Units.nginx]).filter { name in
            units[name].map { $0.loadState == "loaded" && !$0.isEnabled } ?? false
        }
        let stopped = timer.filter { units[$0].map { $0.isEnabled && !$0.isActive } ?? false }
        return missing.map { .note("\($0) does not start at boot", "systemctl enable --now \($0)") }
            + stopped.map { .note("\($0) is stopped: there are no daily backups", "systemctl start \($0)") }
    }

    private var reloadNotes: [Finding] {
        units.all.contains(where: \.needsReload)
            ? [.note("unit files have changed since systemd read them", "systemctl daemon-reload")] : []
    }
}

extension ListenAddress {
    /// As systemd writes it.
    fileprivate var place: String { String(description.drop { $0 != ":" }.dropFirst()) }
}

/// Reports that the units are not checked, because systemd does not answer.
struct UnansweredUnitsCheck: Check {
    let subject = "units"
    let fault: UnitsFault

    func run() -> [Finding] {
        [
            .note(
                "not checked, nor are nginx, its configuration and backups: \(fault)",
                "systemctl status gatehouse gatehouse.socket nginx; then run this command again")
        ]
    }
}

import GatehouseServer
import POSIX

/// The units of systemd that make the service: whether they run now, and will after a boot.
struct UnitsCheck: Check {
    let subject = "units"
    let units: Units
    let listen: ListenAddress?

    func look() -> [Finding] {
        guard case .unix(let path)? = listen else { return judge(missingSocketFile: nil) }
        return judge(missingSocketFile: File.isMissing(path) ? path : nil)
    }

    func judge(missingSocketFile path: String?) -> [Finding] {
        let (socket, service) = (units[Units.socket], units[Units.service])
        var faults = running(socket, service)
        if let path, let socket, socket.isActive {
            let message = "\(socket.name) is active, and its file \(path) is gone: nginx reaches nothing"
            faults.append(.fault(message, "systemctl restart gatehouse"))
        }
        faults += units.all.filter(isFailedHelper).map(failure)
        let notes = boot + stale
        return faults.isEmpty ? [.ok("the socket and the service are active")] + notes : faults + notes
    }

    private func running(_ socket: UnitStatus?, _ service: UnitStatus?) -> [Finding] {
        let isStopped = [socket, service].map { $0.map { $0.loadState == "loaded" && $0.state == "inactive" } ?? false }
        if isStopped == [true, true] {
            return [.fault("\(Units.socket) and \(Units.service) are stopped: nothing is served", Self.start)]
        }
        return [socket, service].compactMap { $0 }.compactMap(fault)
    }

    private static let start =
        "systemctl start gatehouse; if it refuses: journalctl -u gatehouse -u gatehouse-setup -n 20"

    private func fault(_ unit: UnitStatus) -> Finding? {
        let log = "journalctl -u \(unit.name) -p warning -n 20"
        if unit.loadState == "masked" {
            return .fault(
                "\(unit.name) is masked: it cannot start", "systemctl unmask \(unit.name); then: \(Self.start)")
        }
        if unit.loadState != "loaded" {
            return .fault(
                "systemd cannot load \(unit.name): \(unit.loadState)",
                "systemctl cat \(unit.name); mend its files, then: systemctl daemon-reload && systemctl start gatehouse"
            )
        }
        if unit.isRestarting {
            return .fault("\(unit.name) ends again and again: \(unit.restarts) restarts so far", log)
        }
        switch unit.state {
        case "failed":
            let start =
                unit.name == Units.socket ? "systemctl restart gatehouse.socket gatehouse" : "systemctl start gatehouse"
            return .fault("\(unit.name) has failed (\(unit.result))", "\(log); mend what it says, then: \(start)")
        case "activating" where unit.restarts > 2:
            return .fault("\(unit.name) does not come up: \(unit.restarts) restarts so far", log)
        case "inactive": return .fault("\(unit.name) is stopped", Self.start)
        default: return nil
        }
    }

    /// A failed unit beside the two that serve: a backup, a hook of the operator's.
    private func isFailedHelper(_ unit: UnitStatus) -> Bool {
        unit.hasFailed && unit.name.hasPrefix("gatehouse") && unit.name != Units.socket && unit.name != Units.service
    }

    private func failure(_ unit: UnitStatus) -> Finding {
        .fault(
            "\(unit.name) has failed (\(unit.result))",
            "journalctl -u \(unit.name) -n 20; once that is mended: systemctl reset-failed \(unit.name)")
    }

    private var boot: [Finding] {
        let missing = [Units.socket, Units.service, Units.timer, Units.nginx].filter { name in
            units[name].map { $0.loadState == "loaded" && !$0.isEnabled } ?? false
        }
        let off = units[Units.timer].map { $0.isEnabled && !$0.isActive } ?? false ? [Units.timer] : []
        return missing.map { .note("\($0) does not start at boot", "systemctl enable --now \($0)") }
            + off.map { .note("\($0) is stopped: there are no daily backups", "systemctl start \($0)") }
    }

    private var stale: [Finding] {
        units.all.contains(where: \.needsReload)
            ? [.note("the files of units have changed since systemd read them", "systemctl daemon-reload")] : []
    }
}

/// A machine with systemd, which did not describe the units.
struct UnansweredUnitsCheck: Check {
    let subject = "units"
    let fault: UnitsFault

    func look() -> [Finding] {
        [
            .note(
                "not looked at, and neither are nginx, its configuration and backups: \(fault)",
                "systemctl status gatehouse gatehouse.socket nginx; then call this again")
        ]
    }
}

import FileSystem
import GatehouseServer

/// Whether `gatehouse serve` would start with the settings.
struct SettingsCheck {
    static let subject = "settings"

    let source: SettingSource
    /// The folders that the systemd unit of the server may write to; empty without the unit.
    var folders: [UnitDatabaseFolder] = []

    var findings: [Finding] {
        let place = source.file.map { "the environment and \($0.path)" } ?? "the environment"
        do throws(SettingFaults) {
            let configuration = try Configuration(from: source)
            if let path = configuration.database.path, let fault = folders.first?.fault(ofDatabaseAt: path),
                folders.allSatisfy({ $0.fault(ofDatabaseAt: path) != nil })
            {
                return [.fault(fault, "gatehouse-database-folder \(File.folder(of: path).shellQuoted)")]
            }
            return [.ok("gatehouse serve can start with them: \(place)")] + configuration.warnings.map { .note($0) }
        } catch {
            return error.faults.map { .fault($0.description, advice(for: $0, otherwise: place)) }
        }
    }

    private func advice(for fault: SettingFault, otherwise place: String) -> String {
        if fault == source.closedFolder { return "sudo gatehouse check --settings" }
        guard let file = fault.file, !File.isReadable(file) else {
            return "change it in \(fault.file?.shellQuoted ?? place)"
        }
        let user = UserDatabase.ofThisMachine().current.name
        if FileStatus.ifAny(at: file) != nil { return FilePermission.advice(for: user, toRead: file) }
        if File.isMissing(file), !file.hasPrefix("/tmp/"), !file.hasPrefix("/var/tmp/") {
            return "make \(file.shellQuoted), or change its name in \(place)"
        }
        return
            "put it where \(user) can read it: install -m 640 -g \(user) \(file.shellQuoted) /etc/gatehouse, and name it there; the unit of the "
            + "server closes /root, /home, /tmp and /etc/gatehouse/credentials"
    }
}

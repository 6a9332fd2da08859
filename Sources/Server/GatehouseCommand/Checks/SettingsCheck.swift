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
            return error.faults.map { fault in
                .fault(
                    fault.description,
                    fault == source.closedFolder ? "sudo gatehouse check --settings" : "change it in \(place)")
            }
        }
    }
}

import GatehouseServer

/// Whether `gatehouse serve` would start with the settings.
struct SettingsCheck {
    static let subject = "settings"

    let source: SettingSource

    var findings: [Finding] {
        let place = source.file.map { "the environment and \($0.path)" } ?? "the environment"
        do throws(SettingFaults) {
            let configuration = try Configuration(from: source)
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

import GatehouseServer
import POSIX

/// The settings, and who can read the secrets among them.
struct ConfigurationCheck: Check {
    let subject = "configuration"
    let survey: ConfigurationSurvey
    let accounts: AccountBook

    func look() -> [Finding] {
        let files = Setting.all.filter(\.isSecret).compactMap { setting in
            survey.source.path(of: setting.name).map { (setting.name, $0) }
        }
        let open = files.compactMap { name, path in
            (try? FileStatus(of: path)).flatMap { judge(name, at: path, $0) }
        }
        let findings = survey.faults.map { Finding.fault($0.description, advice) } + open
        return (findings.contains { $0.grade == .fault } ? findings : [.ok(place)] + findings)
            + survey.warnings.map { .note($0) }
            + [survey.source.denial].compactMap { $0.map { .note("not all looked at: \($0)", "sudo gatehouse check") } }
    }

    /// Who else could read a secret.
    func judge(_ name: String, at path: String, _ status: FileStatus) -> Finding? {
        let ownership = accounts.ownership(of: status)
        if status.mode & 0o006 != 0 {
            let message = "everybody on this machine can read \(name): \(path) is \(ownership)"
            return .fault(message, "chmod 600 \(path), and replace the secret: it may be known")
        }
        // What systemd hands over is of root's group, whatever its mode shows.
        guard status.mode & 0o060 != 0, status.group != 0, status.group != status.owner else { return nil }
        return .note("the group can read \(name): \(path) is \(ownership)", "chmod 600 \(path)")
    }

    private var place: String {
        "read from the environment" + (survey.source.file.map { " and \($0.path)" } ?? "")
    }

    private var advice: String {
        "mend it in the environment" + (survey.source.file.map { " or in \($0.path)" } ?? "")
            + "; README.md, Configuration, tells what each setting takes"
    }
}

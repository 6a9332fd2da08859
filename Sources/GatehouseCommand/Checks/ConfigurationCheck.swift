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
            let isReachable = FileStatus.ifAny(at: File.folder(of: path))?.isOpenToOthers ?? true
            return FileStatus.ifAny(at: path).flatMap { judge(name, at: path, $0, isReachable: isReachable) }
        }
        let findings = missingFile + survey.faults.map { Finding.fault($0.description, advice) } + closedFile + open
        return (findings.contains { $0.grade == .fault } ? findings : [.ok(place)] + findings)
            + survey.warnings.map { .note($0) }
            + [survey.source.denial].compactMap { $0.map { .note("not all looked at: \($0)", "sudo gatehouse check") } }
    }

    /// Where the package is installed, its file of settings belongs to it.
    private var missingFile: [Finding] {
        let (path, template) = (ConfigurationFile.usualPath, "/usr/share/gatehouse/gatehouse.conf")
        guard survey.source.file == nil, File.isMissing(path), File.exists(template),
            ProcessEnvironment.variables()["GATEHOUSE_CONFIG"] == nil
        else { return [] }
        return [.fault("there is no \(path)", "install -m 644 \(template) \(path), and set APPLE_BUNDLE_ID there")]
    }

    /// The file of the package, where the user of the service cannot read it: root, who looks, can.
    private var closedFile: [Finding] {
        let path = ConfigurationFile.usualPath
        guard survey.source.file?.path == path, let service = accounts.account(named: "gatehouse"),
            let status = FileStatus.ifAny(at: path), !status.permits(.read, to: service)
        else { return [] }
        let message = "\(service.name) may not read \(path): it is \(accounts.ownership(of: status))"
        return [.fault(message, "chmod 644 \(path)")]
    }

    /// Who else could read a secret.
    ///
    /// - Parameter isReachable: whether other users can enter the folder that it is in.
    func judge(_ name: String, at path: String, _ status: FileStatus, isReachable: Bool = true) -> Finding? {
        let ownership = accounts.ownership(of: status)
        if status.mode & 0o006 != 0 {
            guard isReachable else {
                return .note("only its folder keeps \(name) secret: \(path) is \(ownership)", "chmod 600 \(path)")
            }
            let message = "all users of this machine can read \(name): \(path) is \(ownership)"
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
        "correct it in the environment" + (survey.source.file.map { " or in \($0.path)" } ?? "")
            + ", a secret in its own file; man gatehouse.conf tells what each setting takes"
    }
}

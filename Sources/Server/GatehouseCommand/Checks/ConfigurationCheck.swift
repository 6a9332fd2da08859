import FileSystem
import GatehouseServer
import POSIX
import Processes

/// The faults and warnings of the settings, and the permissions of the files that hold secrets.
struct ConfigurationCheck: Check {
    let subject = "configuration"
    let survey: ConfigurationSurvey
    let accounts: UserDatabase

    func run() -> [Finding] {
        let ownFiles = Settings.all.filter(\.isSecret).compactMap { setting in
            survey.source.path(of: setting.name).map { (setting.name, $0) }
        }
        let files = ownFiles + survey.providerFiles.secrets + survey.receiverFiles.secrets
        let open = files.compactMap { name, path in
            let isReachable = FileStatus.ifAny(at: File.folder(of: path))?.isOpenToOthers ?? true
            return FileStatus.ifAny(at: path).flatMap { evaluate(name, at: path, $0, isReachable: isReachable) }
        }
        let findings = missingFile + survey.faults.map { Finding.fault($0.description, advice) } + closedFiles + open
        return (findings.contains { $0.grade == .fault } ? findings : [.ok(place)] + findings)
            + survey.warnings.map { .note($0) }
            + [survey.source.closedFolder].compactMap {
                $0.map { .note("not everything was checked: \($0)", "sudo gatehouse check") }
            }
    }

    /// If the package is installed, its configuration file must exist.
    private var missingFile: [Finding] {
        let (path, template) = (ConfigurationFile.usualPath, "/usr/share/gatehouse/gatehouse.conf")
        guard survey.source.file == nil, File.isMissing(path), File.exists(template),
            ProcessEnvironment.variables()[ConfigurationFile.variable] == nil
        else { return [] }
        return [
            .fault(
                "there is no \(path)",
                "install -m 644 \(template) \(path), and set \(Settings.table.appleBundleIDs.name) there")
        ]
    }

    /// The files of settings beside the package's service that its user cannot read. The check runs as root, which can.
    private var closedFiles: [Finding] {
        let path = ConfigurationFile.usualPath
        guard survey.source.file?.path == path, let service = accounts.account(named: "gatehouse") else { return [] }
        let inFolders = (survey.providerFiles.settings + survey.receiverFiles.settings).map { file in
            // It may hold a secret.
            (file, "chgrp \(service.name) \(file.shellQuoted) && chmod 640 \(file.shellQuoted)")
        }
        return ([(path, "chmod 644 \(path)")] + inFolders).compactMap { file, advice in
            guard let status = FileStatus.ifAny(at: file), !status.permits(.read, to: service) else { return nil }
            let message = "\(service.name) may not read \(file): it is \(accounts.ownership(of: status))"
            return .fault(message, advice)
        }
    }

    /// Whether other users can read a secret.
    ///
    /// - Parameter isReachable: whether other users can enter the folder of the file.
    func evaluate(_ name: String, at path: String, _ status: FileStatus, isReachable: Bool = true) -> Finding? {
        let ownership = accounts.ownership(of: status)
        if status.mode & 0o006 != 0 {
            guard isReachable else {
                return .note("only its folder keeps \(name) secret: \(path) is \(ownership)", "chmod 600 \(path)")
            }
            let message = "all users of this machine can read \(name): \(path) is \(ownership)"
            return .fault(message, "chmod 600 \(path), and replace the secret: it may be known")
        }
        // The credentials of systemd have an access control list, which the mode shows as rights of the group, root's.
        guard status.mode & 0o060 != 0, status.group != 0, status.group != status.owner else { return nil }
        return .note("the group can read \(name): \(path) is \(ownership)", "chmod 600 \(path)")
    }

    private var place: String {
        "read from the environment" + (survey.source.file.map { " and \($0.path)" } ?? "")
    }

    private var advice: String {
        "correct it in the environment" + (survey.source.file.map { " or in \($0.path)" } ?? "")
            + ", a secret in a file of its own; man gatehouse.conf describes each setting"
    }
}

import FileSystem
import GatehouseServer
import POSIX
import Processes

/// The faults and warnings of the settings, and the permissions of the files that hold secrets.
struct ConfigurationCheck: Check {
    let subject = "configuration"
    let survey: ConfigurationSurvey
    let accounts: UserDatabase
    /// What the unit of the server would find, and this process may not.
    var ofUnit: [Finding] = []

    func run() -> [Finding] {
        let ownFiles = Settings.all.filter(\.isSecret).compactMap { setting in
            survey.source.path(of: setting.name).map { (setting.name, $0) }
        }.filter { $0.0 != Settings.table.process.database.name || survey.hasDatabasePassword }
        let files = ownFiles + survey.providerFiles.secrets + survey.receiverFiles.secrets
        let open = files.compactMap { name, path in
            let isReachable = FileStatus.ifAny(at: File.folder(of: path))?.isOpenToOthers ?? true
            return FileStatus.ifAny(at: path).flatMap { evaluate(name, at: path, $0, isReachable: isReachable) }
        }
        let own = survey.faults.map {
            Finding.fault($0.description, $0.file.map { "change it in \($0.shellQuoted)" } ?? advice)
        }
        let known = own.map(\.message) + survey.warnings
        let others = ofUnit.filter { $0.grade != .ok && !known.contains($0.message) }
        let findings = missingFile + own + others + open
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
                "install -m 644 \(template) \(path), and set \(Settings.table.apple.bundleIDs.name) there")
        ]
    }

    /// Whether other users can read a secret.
    ///
    /// - Parameter isReachable: whether other users can enter the folder of the file.
    func evaluate(_ name: String, at path: String, _ status: FileStatus, isReachable: Bool = true) -> Finding? {
        let ownership = accounts.ownership(of: status)
        if status.mode & 0o006 != 0 {
            guard isReachable else {
                return .note("only its folder keeps \(name) secret: \(path) is \(ownership)", closing(path, status))
            }
            let message = "all users of this machine can read \(name): \(path) is \(ownership)"
            return .fault(message, closing(path, status) + ", and replace the secret: it may be known")
        }
        // The credentials of systemd have an access control list, which the mode shows as rights of the group, root's.
        guard status.mode & 0o060 != 0, status.group != 0, status.group != status.owner else { return nil }
        // A file that the service reads belongs to its group.
        let isForService = service.map { accounts.primaryGroup(of: $0.id) == status.group } ?? false
        let others = accounts.members(of: status.group).subtracting([service?.name ?? ""]).sorted()
        if isForService, others.isEmpty { return nil }
        return .note(
            "the group can read \(name): \(path) is \(ownership)",
            isForService
                ? "remove \(others.joined(separator: ", ")) from the group \(accounts.nameOfGroup(status.group)) (gpasswd -d)"
                : closing(path, status))
    }

    private var service: Account? { accounts.account(named: "gatehouse") }

    /// Closes a secret to others, and not to the service: systemd reads its credentials as root, the service all other files.
    private func closing(_ path: String, _ status: FileStatus) -> String {
        let isCredential = survey.source.credentialsFolderOfOperators.map { path.hasPrefix($0 + "/") } ?? false
        guard let service, !isCredential, status.owner != service.id else { return "chmod 600 \(path.shellQuoted)" }
        return FilePermission.advice(for: service.name, toRead: path)
    }

    private var place: String {
        "read from the environment" + (survey.source.file.map { " and \($0.path)" } ?? "")
    }

    private var advice: String {
        "correct it in the environment" + (survey.source.file.map { " or in \($0.path)" } ?? "")
            + ", a secret in a file of its own; man gatehouse.conf describes each setting"
    }
}

import FileSystem
import Gatehouse
import GatehouseServer
import GatehouseStore
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
        let others = ofUnit.filter { finding in
            finding.grade != .ok && !known.contains(finding.message)
                && !survey.unknown.contains { finding.message.hasPrefix($0.name + " ") }
        }
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

/// Whether the unknown names in files of settings are those of another version, which has used the database.
struct UnknownSettingsCheck: Check {
    static let subject = "unknown settings"

    let survey: ConfigurationSurvey
    /// Nil if this user cannot read it.
    let database: (any ExaminedDatabase)?
    var subject: String { Self.subject }

    func run() -> [Finding] {
        let later = database.flatMap { try? LaterSettings(of: $0) }
        return survey.unknown.map { fault in
            if let warning = later?.warning(about: fault) { return .note(warning) }
            return .fault(fault.description, "change it in \((fault.file ?? "").shellQuoted)")
        }
    }
}

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

extension ConfigurationSurvey {
    /// Nil if the database is a file, or if DATABASE_URL has a fault.
    var postgreSQL: PostgreSQLSettings? {
        guard case .postgresql(let url)? = database else { return nil }
        return PostgreSQLSettings(url: url, connections: databaseConnections ?? PostgreSQLSettings.standardConnections)
    }

    /// Whether DATABASE_URL holds a secret.
    var hasDatabasePassword: Bool {
        if case .postgresql(let url)? = database { PostgreSQLSettings.hasPassword(url) } else { false }
    }

    /// The configuration file, if it has the password of the database and all users can read it.
    var fileWithOpenPassword: String? {
        guard hasDatabasePassword,
            case .configurationFile(let path)? = source.origin(of: Settings.table.process.database.name),
            let status = FileStatus.ifAny(at: path), status.isOpenToOthers
        else { return nil }
        return path
    }
}

/// Whether the server knows the origin that proofs of bound sessions must be about.
struct ProofOriginCheck: Check {
    let subject = "proofs"
    /// Nil if its settings have a fault, which the check of the configuration reports.
    let web: WebPolicy?
    let address: PublicAddressSetting

    func run() -> [Finding] {
        guard let web else { return [.note("not checked: see configuration")] }
        if let origin = address.originOfProofs(web) { return [.ok("those of bound sessions must be about \(origin)")] }
        return [
            .note(
                "the origin of this server is not known: those of bound sessions are compared with the Host that each request "
                    + "names, so one for another origin is not refused",
                "set PUBLIC_URL; behind a balancer set it to off, and TOKEN_ISSUER to the https origin that clients use"
            )
        ]
    }
}

/// Who may ask about users and access tokens.
struct ServicesCheck: Check {
    let subject = "services"
    /// Nil if their settings have a fault, which the check of the configuration reports.
    let access: ServiceAccess?

    func run() -> [Finding] {
        guard let access else { return [.note("not checked: their settings cannot be read, or have a fault")] }
        guard !access.tokens.isEmpty || !access.users.isEmpty else {
            return [.ok("only root may ask about users and access tokens: SERVICE_TOKENS is not set")]
        }
        let services = Set(access.tokens.map(\.service)).sorted()
        let users = access.users.values.sorted()
        let tokens = Self.list("token", access.tokens.count, of: services)
        return [.ok(tokens + ", " + Self.list("user", users.count, of: users))]
    }

    /// `2 tokens (knowledge-base, shop)`
    private static func list(_ thing: String, _ count: Int, of names: [String]) -> String {
        "\(count) \(thing)\(count == 1 ? "" : "s")" + (names.isEmpty ? "" : " (\(names.joined(separator: ", ")))")
    }
}

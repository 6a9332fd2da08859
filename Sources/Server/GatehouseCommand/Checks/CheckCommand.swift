import CommandLineTool
import EventDelivery
import FileSystem
import Gatehouse
import GatehouseServer
import GatehouseStore
import POSIX
import Processes

struct CheckCommand: Command {
    let words = ["check"]
    let summary = "Check the installation, and say what to do about each fault."
    let discussion = """
        Checks the settings, keys and secrets; the database, its backups and the clock; Apple and the other providers; the
        SMS gateway, the mail server and the receivers of one-tap tokens and of events; the units, the socket, the server
        and its last reload; nginx, the certificate and the answer at PUBLIC_URL; and limits. Prints a line for each check,
        and below a fault what to do.

        The server may be running or not. Run it as root: it opens the database as its owner, or connects to PostgreSQL as
        the user of the service, and other users may not read everything. The report names what was not checked.

        Exits 0 if there is no fault, 1 if there is one, 2 if the configuration is not usable; the rest is checked then as
        far as possible.

        With --settings, only the settings are read, and no server is asked but the database, if a file has a
        name that this version does not know. Root reads them as the unit of the server would at its next
        start, if there is one: systemd runs this command in a unit with the same user, environment,
        credentials and sandbox. GATEHOUSE_CONFIG names another file to try instead. Exits 0 if `gatehouse
        serve` could start with them, and 2 with every fault otherwise.
        """
    let options = [
        Option(name: "--deep", help: "check all of a large database, which takes long"),
        Option(
            name: "--offline", help: "ask neither Apple, other providers, the gateway, the mail server nor receivers"),
        Option(name: "--ask-apple", help: "ask Apple's cache for its copy of apple-app-site-association as well"),
        Option(name: "--settings", help: "check only the settings"),
        .json,
    ]

    func run(_ arguments: Arguments) throws(CommandError) -> ExitStatus {
        if arguments.has("--settings") { return settings(arguments) }
        let survey = ConfigurationSurvey(of: .current())
        let plan = CheckPlan(
            survey: survey, isDeep: arguments.has("--deep"), isOffline: arguments.has("--offline"),
            asksAppleCache: arguments.has("--ask-apple"))
        let report = CheckReport(findings: plan.run())
        report.report.print(for: arguments)
        if !survey.faults.isEmpty || report.hasFault(of: UnknownSettingsCheck.subject) { return .usage }
        return report.hasFaults ? .no : .done
    }

    private func settings(_ arguments: Arguments) -> ExitStatus {
        let units = try? Units.ofThisMachine()
        let folders = units?[Units.service]?.databaseFolders ?? []
        let findings =
            UnitSettings(units)?.findings() ?? SettingsCheck(source: .current(), folders: folders).findings
        let report = CheckReport(findings: findings.map { (SettingsCheck.subject, $0) })
        report.report.print(for: arguments)
        return report.hasFaults ? .usage : .done
    }
}

/// Runs the checks, each with the right privileges.
///
/// As root: permissions, nginx's configuration and systemd's units. After root was given up, as the owner of the
/// database: everything that opens a file of the service, connects, or reads data that others send.
struct CheckPlan {
    let survey: ConfigurationSurvey
    let isDeep: Bool
    let isOffline: Bool
    var asksAppleCache = false
    let accounts = UserDatabase.ofThisMachine()
    private let systemd = Result { () throws(UnitsFault) in try Units.ofThisMachine() }
    /// Nil without the units of the package, as on a laptop or in a container, and if systemd does not answer.
    private var units: Units? { try? systemd.get() }

    /// Returns the findings in the order of the report, which differs from the order of the checks.
    func run() -> [(subject: String, finding: Finding)] {
        let path = survey.database?.path
        let processes = NginxProcesses.ofThisMachine(accounts)
        let front = FrontChecks(survey: survey, processes: processes, hasUnits: units != nil)
        let environment = ServerEnvironment(of: units?[Units.service]?.process)
        let configuration =
            run(ConfigurationCheck(survey: survey, accounts: accounts, ofUnit: UnitSettings(units)?.findings() ?? []))
            + run(ProductionCheck(survey: survey, hasUnits: units != nil, server: environment))
            + run(PreviousKeysCheck(source: survey.source)) + run(ServicesCheck(access: survey.services))
            + run(ProofOriginCheck(web: survey.web, address: survey.publicAddress))
        let files = path.map { run(DatabaseCheck(path: $0, accounts: accounts, mark: survey.databaseMark?.path)) } ?? []
        // A socket that only root can reach is checked before root is given up.
        let socketOfRoot = isSocketOfRoot ? socketFindings(processes) : nil
        let service = unitFindings()
        let denial = path.flatMap(giveUpRoot) ?? giveUpRootForServer()
        let server = survey.postgreSQL.flatMap { denial == nil ? PostgreSQLChecks($0) : nil }
        let file = path.flatMap { denial == nil && File.isReadable($0) ? SQLiteFile(path: $0) : nil }
        let database: (any ExaminedDatabase)? = if let server { server.database } else { file }
        let content =
            serverFindings(server, denial: denial) + (path.map { databaseFindings(at: $0, file, denial: denial) } ?? [])
        let apple =
            appleFindings(database) + providerFindings() + deliveryFindings(database) + phoneFindings(database)
            + receiverFindings() + passkeyFindings(database) + outboxFindings(database) + testCodeFindings(database)
        let inner = service + (socketOfRoot ?? socketFindings(processes))
        let unknown = survey.unknown.isEmpty ? [] : run(UnknownSettingsCheck(survey: survey, database: database))
        return configuration + unknown + files + content + apple + inner + front.run() + limitFindings()
    }

    private func limitFindings() -> [(subject: String, finding: Finding)] {
        guard let workers = survey.workers else { return [] }
        let need = DescriptorNeed(
            workers: workers, pool: survey.postgreSQL?.connections, receivers: survey.receivers?.count ?? 0)
        return run(LimitsCheck(workers: workers, need: need, service: units?[Units.service]))
    }

    private func unitFindings() -> [(subject: String, finding: Finding)] {
        switch systemd {
        case .success(let units?):
            run(UnitsCheck(units: units, listen: survey.listen, hasDatabaseFile: survey.postgreSQL == nil))
        case .success(nil): []
        case .failure(let fault): run(UnansweredUnitsCheck(fault: fault))
        }
    }

    /// Continues as the owner of the database. Returns the reason if that is not possible.
    private func giveUpRoot(for path: String) -> String? {
        do {
            try DatabaseOwner(of: path).giveUpRoot()
            return nil
        } catch { return error.message }
    }

    /// Continues as the user of the service before anything is read from a server: whether it can connect depends on the
    /// service's files and not on root's, and what the server sends does not reach root. Returns the reason if that is not
    /// possible.
    private func giveUpRootForServer() -> String? {
        guard survey.postgreSQL != nil, Privileges.isRoot, units != nil else { return nil }
        // libpq looks for its files there, as for the service.
        ProcessEnvironment.set("HOME", to: "/var/lib/gatehouse")
        do throws(CommandError) {
            try ServiceUser.replaceRoot()
            return nil
        } catch { return error.message }
    }

    private func serverFindings(
        _ server: PostgreSQLChecks?, denial: String?
    ) -> [(subject: String, finding: Finding)] {
        guard var server else {
            return survey.postgreSQL == nil ? [] : [("database", .note("not checked: \(denial ?? "no server")"))]
        }
        let found = server.run(openPassword: survey.fileWithOpenPassword, timer: units?[Units.timer])
        guard server.database != nil else { return found }
        return found
            + run(
                SchemaCheck(
                    database: server.database, name: "another program's database",
                    mayMigrate: server.mayMigrate ?? true))
            + run(SealedDataCheck(database: server.database, vault: survey.vault, refreshKeys: survey.refreshKeys))
    }

    private func databaseFindings(
        at path: String, _ file: SQLiteFile?, denial: String?
    ) -> [(subject: String, finding: Finding)] {
        let integrity = IntegrityCheck(path: path, isDeep: isDeep)
        let schema = SchemaCheck(database: file, name: path)
        let backups = units.map { BackupsCheck(path: path, timer: $0[Units.timer]) }
        let disk = run(DiskCheck(folder: File.folder(of: path)))
        let sealed = SealedDataCheck(database: file, vault: survey.vault, refreshKeys: survey.refreshKeys)
        let subjects = [integrity.subject, schema.subject, sealed.subject] + (backups.map { [$0.subject] } ?? [])
        guard let denial else {
            return disk + run(integrity) + run(schema) + run(sealed) + (backups.map { run($0) } ?? [])
        }
        return disk + subjects.map { ($0, .note("not checked: \(denial)")) }
    }

    private func appleFindings(_ database: (any ExaminedDatabase)?) -> [(subject: String, finding: Finding)] {
        let probe = isOffline ? nil : survey.appleKeysURL.map { KeyServerProbe(asking: $0) }
        let clock = run(ClockCheck(database: database, appleTime: probe?.date))
        let keys = survey.appleKeysURL.map { run(KeySetCheck(url: $0, database: database, probe: probe)) } ?? []
        return clock + keys + run(CredentialsCheck(survey: survey, isOffline: isOffline))
    }

    /// One after another: each has a time limit of its own.
    private func providerFindings() -> [(subject: String, finding: Finding)] {
        (survey.providers ?? []).flatMap { provider in
            let name = provider.name.lowercaseName + ".conf"
            let file = survey.providerFiles.settings.first { $0.hasSuffix("/" + name) } ?? name
            return run(
                ConfiguredProviderCheck(
                    provider: provider, file: file, callback: survey.web?.callback(of: provider.name),
                    isOffline: isOffline))
        }
    }

    private func deliveryFindings(_ database: (any ExaminedDatabase)?) -> [(subject: String, finding: Finding)] {
        guard let delivery = survey.delivery else { return [] }
        let receiver = delivery.numbers.map { run(NumberReceiverCheck(receiver: $0, isOffline: isOffline)) } ?? []
        guard !delivery.channels.isEmpty else { return receiver }
        let numbers = delivery.sms == nil ? [] : run(NumbersCheck(database: database, kinds: delivery.kinds))
        let metrics = survey.listen.flatMap { try? ServerQuery(at: $0).metrics(within: ServerQuery.Timeout.metrics) }
        return numbers + receiver
            + delivery.channels.flatMap { channel in
                run(DeliveryCheck(channel: channel, delivery: delivery, isOffline: isOffline, metrics: metrics))
            }
    }

    private func phoneFindings(_ database: (any ExaminedDatabase)?) -> [(subject: String, finding: Finding)] {
        guard survey.requiresPhone, let count = try? database?.usersWithoutPhone(), count > 0 else { return [] }
        let message = "PHONE_BINDING=required: \(count) active users have no number, and get 403 until they bind one"
        return [("phone binding", .note(message, "the app has to offer that: API.md, Phone binding"))]
    }

    /// One after another: each has a time limit of its own.
    private func receiverFindings() -> [(subject: String, finding: Finding)] {
        (survey.receivers ?? []).flatMap { receiver in
            let file = survey.receiverFiles.settings.first { $0.hasSuffix("/" + receiver.name + ".conf") }
            return run(ReceiverCheck(receiver: receiver, file: file, isOffline: isOffline))
        }
    }

    /// No phone and no browser of another machine reaches a developer's.
    private func passkeyFindings(_ database: (any ExaminedDatabase)?) -> [(subject: String, finding: Finding)] {
        guard let passkeys = survey.passkeys else { return [] }
        return run(
            PasskeyCheck(
                passkeys: passkeys, address: survey.publicAddress.address, database: database,
                isOffline: isOffline || survey.environment == .development,
                cache: asksAppleCache ? PasskeyCheck.appleCache : nil))
    }

    /// Only where there are receivers, or were.
    private func outboxFindings(_ database: (any ExaminedDatabase)?) -> [(subject: String, finding: Finding)] {
        let check = OutboxCheck(database: database, configured: survey.receivers?.map(\.name))
        return check.isNeeded ? run(check) : []
    }

    /// Only where there are test codes.
    private func testCodeFindings(_ database: (any ExaminedDatabase)?) -> [(subject: String, finding: Finding)] {
        let addresses = Array((survey.testCodes ?? [:]).keys)
        return addresses.isEmpty ? [] : run(TestCodesCheck(addresses: addresses, database: database))
    }

    /// Whether only root can change the path of the socket.
    private var isSocketOfRoot: Bool {
        guard case .unix(let path)? = survey.listen else { return false }
        return (try? PathOwner.ofPlace(at: path))?.isRoot == true
    }

    private func socketFindings(_ processes: NginxProcesses) -> [(subject: String, finding: Finding)] {
        guard let listen = survey.listen else { return [] }
        let isDevelopment = survey.environment == .development && units == nil
        return run(
            SocketCheck(listen: listen, isDevelopment: isDevelopment, accounts: accounts, processes: processes))
            + run(ServerCheck(listen: listen)) + run(ReloadCheck(listen: listen))
    }

    private func run(_ check: some Check) -> [(subject: String, finding: Finding)] { check.report() }
}

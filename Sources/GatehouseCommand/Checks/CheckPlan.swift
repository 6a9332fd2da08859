import GatehouseServer
import POSIX

/// What `gatehouse check` looks at, and as whom.
///
/// Root sees who can read what, asks nginx for its configuration and systemd for its units. All that opens a file of the
/// service, connects, or reads what others send is done as the owner of the database, when root has been given up.
struct CheckPlan {
    let survey: ConfigurationSurvey
    let isDeep: Bool
    let isOffline: Bool
    let accounts = AccountBook.ofThisMachine()
    private let systemd = Result { () throws(UnitsFault) in try Units.ofThisMachine() }
    /// Nil where the package's units are not, as on a laptop or in a container, and where systemd does not answer.
    private var units: Units? { try? systemd.get() }

    /// In the order of the report, in which the database stands near the top, whenever it was looked at.
    func run() -> [(subject: String, finding: Finding)] {
        let path = survey.database?.path
        let processes = NginxProcesses.ofThisMachine(accounts)
        let front = FrontChecks(survey: survey, processes: processes, hasUnits: units != nil)
        let server = ServerEnvironment(of: units?[Units.service]?.process)
        let configuration =
            look(ConfigurationCheck(survey: survey, accounts: accounts))
            + look(ProductionCheck(survey: survey, hasUnits: units != nil, server: server))
            + look(PreviousKeysCheck(source: survey.source))
        let files = path.map { look(DatabaseCheck(path: $0, accounts: accounts)) } ?? []
        // Root looks at a socket that only root can reach, before it gives up root.
        let socketOfRoot = isSocketOfRoot ? socket(processes) : nil
        let service = lookAtUnits()
        let denial = path.flatMap(takeOver)
        let content = path.map { look(at: $0, denial: denial) } ?? []
        let apple = look(atAppleWith: denial == nil ? path : nil)
        let limits = survey.workers.map { look(LimitsCheck(workers: $0, service: units?[Units.service])) } ?? []
        let inner = service + (socketOfRoot ?? socket(processes))
        return configuration + files + content + apple + inner + front.look() + limits
    }

    private func lookAtUnits() -> [(subject: String, finding: Finding)] {
        switch systemd {
        case .success(let units): units.map { look(UnitsCheck(units: $0, listen: survey.listen)) } ?? []
        case .failure(let fault): look(UnansweredUnitsCheck(fault: fault))
        }
    }

    /// Why this process cannot work as the owner of the database; nil where it does from here on.
    private func takeOver(at path: String) -> String? {
        do {
            try DatabaseOwner(of: path).takeOver()
            return nil
        } catch { return error.message }
    }

    private func look(at path: String, denial: String?) -> [(subject: String, finding: Finding)] {
        let integrity = IntegrityCheck(path: path, isDeep: isDeep)
        let schema = SchemaCheck(path: path)
        let backups = units.map { BackupsCheck(path: path, timer: $0[Units.timer]) }
        let disk = look(DiskCheck(folder: File.folder(of: path)))
        let sealed = SealedDataCheck(path: path, vault: survey.vault, refreshKeys: survey.refreshKeys)
        let subjects = [integrity.subject, schema.subject, sealed.subject] + (backups.map { [$0.subject] } ?? [])
        guard let denial else {
            return disk + look(integrity) + look(schema) + look(sealed) + (backups.map { look($0) } ?? [])
        }
        return disk + subjects.map { ($0, .note("not looked at: \(denial)")) }
    }

    private func look(atAppleWith path: String?) -> [(subject: String, finding: Finding)] {
        let probe = isOffline ? nil : survey.appleKeysURL.map { KeyServerProbe(asking: $0) }
        let clock = look(ClockCheck(path: path, elsewhere: probe?.date))
        let keys = survey.appleKeysURL.map { look(KeySetCheck(url: $0, path: path, probe: probe)) } ?? []
        return clock + keys + look(CredentialsCheck(survey: survey, isOffline: isOffline))
    }

    /// Whether only root decides what is at the socket's path.
    private var isSocketOfRoot: Bool {
        guard case .unix(let path)? = survey.listen else { return false }
        return (try? PathOwner.ofPlace(at: path))?.isRoot == true
    }

    private func socket(_ processes: NginxProcesses) -> [(subject: String, finding: Finding)] {
        guard let listen = survey.listen else { return [] }
        let isDevelopment = survey.environment == .development && units == nil
        return look(
            SocketCheck(listen: listen, isDevelopment: isDevelopment, accounts: accounts, processes: processes))
            + look(ServerCheck(listen: listen)) + look(ReloadCheck(listen: listen))
    }

    private func look(_ check: some Check) -> [(subject: String, finding: Finding)] { check.report() }
}

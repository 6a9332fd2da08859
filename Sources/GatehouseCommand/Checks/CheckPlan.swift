import GatehouseServer
import POSIX

/// What `gatehouse check` looks at, and as whom.
///
/// Root sees who can read what. All that opens a file of the service, connects, or reads what others send is done as the
/// owner of the database, when root has been given up.
struct CheckPlan {
    let survey: ConfigurationSurvey
    let isDeep: Bool
    let isOffline: Bool
    let accounts = AccountBook.ofThisMachine()

    /// In the order of the report, in which the database stands near the top, whenever it was looked at.
    func run() -> [(subject: String, finding: Finding)] {
        let path = survey.database?.path
        let configuration = look(ConfigurationCheck(survey: survey, accounts: accounts))
        let previousKeys = look(PreviousKeysCheck(source: survey.source))
        let files = path.map { look(DatabaseCheck(path: $0, accounts: accounts)) } ?? []
        // Root looks at a socket that only root can reach, before it gives up root.
        let socketOfRoot = isSocketOfRoot ? socket : nil
        let denial = path.flatMap(takeOver)
        let content = path.map { look(at: $0, denial: denial) } ?? []
        let apple = look(atAppleWith: denial == nil ? path : nil)
        let limits = survey.workers.map { look(LimitsCheck(workers: $0)) } ?? []
        return configuration + previousKeys + files + content + apple + (socketOfRoot ?? socket) + limits
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
        let disk = look(DiskCheck(folder: File.folder(of: path)))
        let sealed = SealedDataCheck(path: path, vault: survey.vault, refreshKeys: survey.refreshKeys)
        guard let denial else { return disk + look(integrity) + look(schema) + look(sealed) }
        return disk
            + [integrity.subject, schema.subject, sealed.subject].map { ($0, .note("not looked at: \(denial)")) }
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

    private var socket: [(subject: String, finding: Finding)] {
        guard let listen = survey.listen else { return [] }
        let isDevelopment = survey.environment == .development
        return look(SocketCheck(listen: listen, isDevelopment: isDevelopment, accounts: accounts))
            + look(ServerCheck(listen: listen)) + look(ReloadCheck(listen: listen))
    }

    private func look(_ check: some Check) -> [(subject: String, finding: Finding)] {
        check.look().map { (check.subject, $0) }
    }
}

import GatehouseServer
import POSIX

struct CheckCommand: Command {
    let words = ["check"]
    let summary = "Look at everything that a night can be broken by, and say what to do about it."
    let discussion = """
        Configuration, database, disk, integrity, schema, clock, Apple's keys, our credentials with Apple, the socket,
        the server behind it and limits: a line each, and below what is wrong what to do. The server may be running or
        not. As root it sees most; what another user may not look at is said to be so.

        Exits 0 when all is well, 1 when something is not, 2 when the configuration cannot be used; what can be read of
        it is looked at all the same.
        """
    let options = [
        Option(name: "--deep", value: nil, help: "look through all of the database, however long that takes"),
        Option(name: "--offline", value: nil, help: "ask nothing of Apple"),
        .json,
    ]

    func run(_ input: Input) throws(CommandFault) -> ExitStatus {
        let survey = ConfigurationSurvey(of: .current())
        let checks = Self.checks(survey, isDeep: input.has("--deep"), isOffline: input.has("--offline"))
        let report = CheckReport(findings: checks.flatMap { check in check.look().map { (check.subject, $0) } })
        report.report.print(for: input)
        if !survey.faults.isEmpty { return .usage }
        return report.hasFaults ? .no : .done
    }

    /// What can be looked at with as much of the configuration as there is.
    private static func checks(_ survey: ConfigurationSurvey, isDeep: Bool, isOffline: Bool) -> [any Check] {
        let accounts = AccountBook.ofThisMachine()
        let path: String? = survey.database.map { address in
            switch address {
            case .sqlite(let path): path
            }
        }
        let probe = isOffline ? nil : survey.appleKeysURL.map { KeyServerProbe(asking: $0) }
        var checks: [any Check] = [ConfigurationCheck(survey: survey, accounts: accounts)]
        if let path {
            checks += [
                DatabaseCheck(path: path, accounts: accounts), DiskCheck(folder: File.folder(of: path)),
                IntegrityCheck(path: path, isDeep: isDeep), SchemaCheck(path: path),
            ]
        }
        checks.append(ClockCheck(path: path, elsewhere: probe?.date))
        if let url = survey.appleKeysURL { checks.append(KeySetCheck(url: url, path: path, probe: probe)) }
        checks.append(CredentialsCheck(survey: survey, isOffline: isOffline))
        if let listen = survey.listen {
            checks += [
                SocketCheck(listen: listen, isDevelopment: survey.environment == .development, accounts: accounts),
                ServerCheck(listen: listen),
            ]
        }
        if let workers = survey.workers { checks.append(LimitsCheck(workers: workers)) }
        return checks
    }
}

import GatehouseServer

struct CheckCommand: Command {
    let words = ["check"]
    let summary = "Look at everything that a night can be broken by, and say what to do about it."
    let discussion = """
        Configuration, settings of development, previous keys, database, disk, integrity, schema, sealed data, backups,
        clock, Apple's keys, our credentials with Apple, units, the socket, the server behind it and its last reload, nginx,
        the certificate and the answer at PUBLIC_URL, and limits: a line each, and below what is wrong what to do. The
        server may be running or not. As root it sees most, and opens the database as its owner; what another user may not
        look at is said to be so.

        Exits 0 when all is well, 1 when something is not, 2 when the configuration cannot be used; what can be read of
        it is looked at all the same.

        With --settings, the settings alone are read, as `gatehouse serve` would read them, and nothing is opened or asked:
        exits 0 when it could start with them, 2 with every fault when it could not.
        """
    let options = [
        Option(name: "--deep", value: nil, help: "look through all of the database, however long that takes"),
        Option(name: "--offline", value: nil, help: "ask nothing of Apple"),
        Option(name: "--settings", value: nil, help: "read the settings, and do nothing else"),
        .json,
    ]

    func run(_ input: Input) throws(CommandFault) -> ExitStatus {
        if input.has("--settings") { return settings(input) }
        let survey = ConfigurationSurvey(of: .current())
        let plan = CheckPlan(survey: survey, isDeep: input.has("--deep"), isOffline: input.has("--offline"))
        let report = CheckReport(findings: plan.run())
        report.report.print(for: input)
        if !survey.faults.isEmpty { return .usage }
        return report.hasFaults ? .no : .done
    }

    private func settings(_ input: Input) -> ExitStatus {
        let findings = SettingsCheck(source: .current()).findings
        let report = CheckReport(findings: findings.map { (SettingsCheck.subject, $0) })
        report.report.print(for: input)
        return report.hasFaults ? .usage : .done
    }
}

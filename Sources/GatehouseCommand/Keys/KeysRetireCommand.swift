import Gatehouse
import GatehouseServer
import GatehouseTokens
import JSON
import POSIX

/// Removes previous keys that nothing needs any more.
struct KeysRetireCommand: Command {
    let words = ["keys", "retire"]
    let summary = "Remove those previous keys whose time is over."
    let discussion = """
        NAME is jwt_access_secret, jwt_refresh_secret, data_key or access_signing_key. A previous key is needed as long as
        the tokens live that it signed (ACCESS_TOKEN_TTL, REFRESH_TOKEN_TTL), counted from its replacement, which gatehouse
        keys rotate records in the file; of a key without that record, from the last change of the file. That holds if the
        server was restarted right after the replacement: where it was later, wait as much longer. A previous data_key is
        needed as long as the database has values that it sealed: gatehouse keys reseal. Keys that are needed stay.

        A backup that is older than gatehouse keys reseal needs the data_key of its time. For data_key, the command asks on
        a terminal whether a copy of it is kept with those backups, and demands --yes elsewhere.
        """
    let arguments = ["NAME"]
    let options = [
        Option(name: "--yes", value: nil, help: "of data_key: a copy is kept with the backups; ask no question"), .json,
    ]

    func run(_ input: Input) throws(CommandFault) -> ExitStatus {
        let key = try RotatedKey(named: input.arguments[0])
        let source = SettingSource.current()
        let files = try KeyFiles(ofPrevious: key, from: source)
        let lifetimes = try ConfigurationFault.naming { () throws(SettingFaults) in
            try Configuration.tokenLifetimes(from: source)
        }
        let serverStart = try RunningServer.startedAt(source)
        let counts = key == .dataKey ? try SealedCounts.ofDatabase() : [:]
        try files.takeOver()
        let lock = try files.lock()
        defer { withExtendedLifetime(lock) {} }
        let previous = try files.readPrevious()
        let judge = KeyRetirement(
            key: key, tokenLifetimes: lifetimes, now: World.real.now(),
            fileChangedAt: Timestamp(seconds: files.previousChangedAt()), serverStart: serverStart,
            sealedCounts: counts)
        let verdicts = previous.entries.map { (entry: $0, verdict: judge.judge($0)) }
        if verdicts.contains(where: { $0.verdict == .over }) {
            if key == .dataKey { try confirm(input, files.previousPath) }
            var kept = previous
            kept.entries = verdicts.filter { $0.verdict != .over }.map(\.entry)
            try files.write(.previous(kept))
        }
        report(key, verdicts).print(for: input)
        return .done
    }

    private func confirm(_ input: Input, _ path: String) throws(CommandFault) {
        let reason = "backups made before the last gatehouse keys reseal can only be read with the keys in \(path)"
        try input.demandConfirmable("\(reason): keep a copy of it with them, then add --yes. Nothing was changed")
        try input.confirm("\(reason). Is a copy of it kept with them? Type yes to remove the keys here.")
    }

    private func report(
        _ key: RotatedKey, _ verdicts: [(entry: KeyList.Entry, verdict: KeyRetirement.Verdict)]
    ) -> Report {
        var (lines, keys): ([String], [JSONValue]) = ([], [])
        for (entry, verdict) in verdicts {
            let id = key.id(of: entry.text) ?? "on line \(entry.line)"
            let json: JSONObject
            switch verdict {
            case .over:
                lines.append("previous \(key.rawValue) \(id): removed")
                json = ["id": .string(id), "removed": true, "neededUntil": .null, "reason": .null]
            case .needed(let end, let reason):
                lines.append("previous \(key.rawValue) \(id): stays, it \(reason)")
                json = [
                    "id": .string(id), "removed": false, "neededUntil": JSONValue(end?.toTheSecond),
                    "reason": .string(reason),
                ]
            }
            keys.append(.object(json))
        }
        let isChanged = verdicts.contains { $0.verdict == .over }
        if verdicts.isEmpty { lines.append("\(key.previousSetting) holds no key") }
        if isChanged { lines.append("next: systemctl restart gatehouse") }
        return Report(
            json: .object(["key": .string(key.rawValue), "previous": .array(keys), "restart": .bool(isChanged)]),
            text: lines.joined(separator: "\n"))
    }
}

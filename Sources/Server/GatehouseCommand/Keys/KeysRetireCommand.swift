import CommandLineTool
import Gatehouse
import GatehouseServer
import GatehouseTokens
import JSON
import POSIX

struct KeysRetireCommand: Command {
    let words = ["keys", "retire"]
    let summary = "Remove previous keys that are not needed any more."
    let discussion = """
        NAME is jwt_access_secret, jwt_refresh_secret, data_key or access_signing_key. A previous key is needed until
        the tokens that it signed have expired (ACCESS_TOKEN_TTL, twice REFRESH_TOKEN_TTL). The time counts from its replacement,
        which gatehouse keys rotate records in the file, or from the last change of the file if there is no record. This
        assumes that the server was restarted right after the replacement: if it was restarted later, wait longer by that
        time. A previous data_key is needed while the database has values that it sealed (gatehouse keys reseal).

        A backup from before gatehouse keys reseal needs the data_key of its time. For data_key, the command asks on a
        terminal whether a copy of the key is stored with those backups, and requires --yes otherwise.
        """
    let parameters = ["NAME"]
    let options = [
        Option(name: "--yes", help: "for data_key: a copy is stored with the backups; do not ask"), .json,
    ]

    func run(_ arguments: Arguments) throws(CommandError) -> ExitStatus {
        let key = try RotatedKey(named: arguments.positional[0])
        let source = SettingSource.current()
        let files = try KeyFiles(ofPrevious: key, from: source)
        let lifetimes = try readSettings { () throws(SettingFaults) in
            try Configuration.tokenLifetimes(from: source)
        }
        let serverStart = try RunningServer.startedAt(source)
        let counts = key == .dataKey ? try SealedCounts.ofDatabase() : [:]
        try files.giveUpRoot()
        let lock = try files.lock()
        defer { withExtendedLifetime(lock) {} }
        let previous = try files.readPrevious()
        let retirement = KeyRetirement(
            key: key, tokenLifetimes: lifetimes, now: Platform.system.now(),
            fileChangedAt: Timestamp(seconds: files.previousChangedAt()), serverStart: serverStart,
            sealedCounts: counts)
        let verdicts = previous.entries.map { (entry: $0, verdict: retirement.evaluate($0)) }
        if verdicts.contains(where: { $0.verdict == .notNeeded }) {
            if key == .dataKey { try confirm(arguments, files.previousPath) }
            var kept = previous
            kept.entries = verdicts.filter { $0.verdict != .notNeeded }.map(\.entry)
            try files.write(.previous(kept))
        }
        report(key, verdicts).print(for: arguments)
        return .done
    }

    private func confirm(_ arguments: Arguments, _ path: String) throws(CommandError) {
        let reason = "backups from before the last gatehouse keys reseal can only be read with the keys in \(path)"
        try arguments.requireConfirmation(
            "\(reason): store a copy of that file with them, then add --yes. Nothing was changed")
        try arguments.confirm("\(reason). Is a copy of that file stored with them? Type yes to remove the keys here.")
    }

    private func report(
        _ key: RotatedKey, _ verdicts: [(entry: KeyList.Entry, verdict: KeyRetirement.Verdict)]
    ) -> Report {
        var (lines, keys): ([String], [JSONValue]) = ([], [])
        for (entry, verdict) in verdicts {
            let id = key.id(of: entry.text) ?? "on line \(entry.line)"
            let json: JSONObject
            switch verdict {
            case .notNeeded:
                lines.append("previous \(key.rawValue) \(id): removed")
                json = ["id": .string(id), "removed": true, "neededUntil": .null, "reason": .null]
            case .needed(let end, let reason):
                lines.append("previous \(key.rawValue) \(id): kept, it \(reason)")
                json = [
                    "id": .string(id), "removed": false, "neededUntil": JSONValue(end?.toTheSecond),
                    "reason": .string(reason),
                ]
            }
            keys.append(.object(json))
        }
        let isChanged = verdicts.contains { $0.verdict == .notNeeded }
        if verdicts.isEmpty { lines.append("\(key.previousSetting) holds no key") }
        if isChanged { lines.append("next: systemctl reload gatehouse") }
        return Report(
            json: .object(["key": .string(key.rawValue), "previous": .array(keys), "restart": .bool(isChanged)]),
            text: lines.joined(separator: "\n"))
    }
}

/// Decides whether a previous key is still needed, without I/O.
struct KeyRetirement {
    enum Verdict: Equatable {
        case notNeeded
        /// Needed until a time, or until the operator has done something.
        case needed(until: Timestamp?, String)
    }

    let key: RotatedKey
    let tokenLifetimes: (access: Duration, refresh: Duration)
    let now: Timestamp
    /// When the file last changed. It replaces the time of a missing record.
    let fileChangedAt: Timestamp
    /// When the running server started; nil if none runs.
    var serverStart: Timestamp?
    /// The number of values that each key has sealed, by `DataKey.id`.
    var sealedCounts: [String: Int] = [:]

    func evaluate(_ entry: KeyList.Entry) -> Verdict {
        if entry.isPublished {
            return .needed(until: nil, "is the next key to sign: gatehouse keys rotate \(key.rawValue)")
        }
        let since = entry.record?.moment ?? fileChangedAt
        if let serverStart, serverStart < since {
            return .needed(until: nil, "is in use by the running server: systemctl restart gatehouse")
        }
        guard let lifetime = key.lifetime(tokenLifetimes) else { return evaluateDataKey(entry) }
        guard since + lifetime > now else { return .notNeeded }
        return .needed(until: since + lifetime, "signed tokens that are valid until \((since + lifetime).toTheSecond)")
    }

    private func evaluateDataKey(_ entry: KeyList.Entry) -> Verdict {
        guard let key = DataKey.bytes(written: entry.text).flatMap({ try? DataKey($0) }) else {
            return .needed(until: nil, "is not a key of 32 bytes in base64: remove the line")
        }
        let count = sealedCounts[key.id] ?? 0
        return count == 0 ? .notNeeded : .needed(until: nil, "has sealed \(count) values: gatehouse keys reseal")
    }
}

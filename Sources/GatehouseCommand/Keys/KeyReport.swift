import Gatehouse
import GatehouseServer
import GatehouseTokens
import JOSE
import JSON

/// What a rotation came to, and what is to be done next. Keys are named by their ids, which give nothing away.
struct KeyReport {
    let key: RotatedKey
    let outcome: KeyPlan.Outcome
    let current: String
    let previous: KeyList
    let lifetime: Duration?
    let now: Timestamp
    let isStolen: Bool
    /// Where the previous keys are.
    let previousPath: String

    var report: Report { Report(json: json, text: lines.joined(separator: "\n")) }

    private var json: JSONValue {
        .object([
            "key": .string(key.rawValue), "outcome": .string(outcome.rawValue), "id": JSONValue(key.id(of: current)),
            "previous": .array(previous.entries.map(json)),
        ])
    }

    private func json(_ entry: KeyList.Entry) -> JSONValue {
        let state = entry.isPublished ? "published" : "replaced"
        return .object([
            "id": JSONValue(key.id(of: entry.text)), "state": .string(state),
            "since": JSONValue(entry.record?.moment.toTheSecond), "neededUntil": JSONValue(end(of: entry)?.toTheSecond),
        ])
    }

    private func end(of entry: KeyList.Entry) -> Timestamp? {
        guard let lifetime, case .replaced(let moment) = entry.record else { return nil }
        return moment + lifetime
    }

    private var lines: [String] {
        let restart = "systemctl restart gatehouse"
        guard outcome == .replaced else {
            let name = previous.entries.first { $0.isPublished }.flatMap { key.id(of: $0.text) } ?? ""
            return [
                "the next \(key.rawValue), \(name), is in \(key.previousSetting): published from the restart on, it does not "
                    + "sign yet",
                "next: \(restart)", "then, 5 minutes later: gatehouse keys rotate \(key.rawValue)",
            ]
        }
        return ["\(key.rawValue) is now \(key.id(of: current) ?? ""); \(fate)", "next: \(restart)"]
            + [later].compactMap { $0 }
    }

    private var fate: String {
        isStolen ? "from the restart on, the one before it is not accepted any more" : accepted
    }

    private var accepted: String {
        let count = previous.entries.count { !$0.isPublished }
        return "\(count) previous \(count == 1 ? "key is" : "keys are") still accepted"
    }

    /// When the old key may go; of a stolen one, what may have been stolen with it.
    private var later: String? {
        guard !isStolen else {
            return previous.entries.isEmpty
                ? nil : "\(accepted): if stolen too, remove them from \(previousPath), and restart again"
        }
        let retire = "gatehouse keys retire \(key.rawValue)"
        guard let end = previous.entries.compactMap(end).max() else {
            return key == .dataKey ? "then: gatehouse keys reseal, and \(retire)" : nil
        }
        return "then, if the restart is done now, after \(end.toTheSecond): \(retire)"
    }
}

extension RotatedKey {
    /// The name under which tokens, the key set and sealed values refer to a key. Nil of what is no key.
    func id(of text: String) -> String? {
        switch self {
        case .signingKey: try? SigningKey(pem: text).keyID
        case .accessSecret, .refreshSecret: try? SigningKey(writtenSecret: Array(text.utf8)).keyID
        case .dataKey: DataKey.bytes(written: text).flatMap { try? DataKey($0) }.map(\.id)
        }
    }
}

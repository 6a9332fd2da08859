import Gatehouse
import GatehouseServer
import GatehouseTokens

/// Decides whether a previous key is still needed.
struct KeyRetirement {
    enum Verdict: Equatable {
        case over
        /// Still needed, until a known moment or until something was done.
        case needed(until: Timestamp?, String)
    }

    let key: RotatedKey
    let tokenLifetimes: (access: Duration, refresh: Duration)
    let now: Timestamp
    /// Since when a key without a record has stood in its file at the latest.
    let fileChangedAt: Timestamp
    /// When the running server began; nil where none runs.
    var serverStart: Timestamp?
    /// How many values each key has sealed, by `DataKey.id`.
    var sealedCounts: [String: Int] = [:]

    func judge(_ entry: KeyList.Entry) -> Verdict {
        if entry.isPublished {
            return .needed(until: nil, "is to sign after the next: gatehouse keys rotate \(key.rawValue)")
        }
        let since = entry.record?.moment ?? fileChangedAt
        if let serverStart, serverStart < since {
            return .needed(until: nil, "is what the running server works with: systemctl restart gatehouse")
        }
        guard let lifetime = key.lifetime(tokenLifetimes) else { return judgeDataKey(entry) }
        guard since + lifetime > now else { return .over }
        return .needed(until: since + lifetime, "signed tokens that live until \((since + lifetime).toTheSecond)")
    }

    private func judgeDataKey(_ entry: KeyList.Entry) -> Verdict {
        guard let key = DataKey.bytes(written: entry.text).flatMap({ try? DataKey($0) }) else {
            return .needed(until: nil, "is no key of 32 bytes in base64: remove the line")
        }
        let count = sealedCounts[key.id] ?? 0
        return count == 0 ? .over : .needed(until: nil, "has sealed \(count) values: gatehouse keys reseal")
    }
}

import Gatehouse
import GatehouseServer

/// A write of one of the two files of a key. Each is atomic, and what is in force after each of them is usable.
enum KeyStep: Equatable {
    case previous(KeyList)
    case current(String)
}

/// What a rotation does, in order.
struct KeyPlan: Equatable {
    enum Outcome: String {
        case replaced
        /// A next key is in the key set, and does not sign yet.
        case published
    }

    let outcome: Outcome
    let steps: [KeyStep]
}

/// Decides what a rotation writes, by values alone.
///
/// The old key is in the previous list before a new key takes its place, so that a crash between two steps leaves every
/// key in one of the files. The same call again finishes an interrupted one.
struct KeyRotation {
    /// How long services may cache the key set.
    static let cacheTime = Duration.seconds(300)

    let key: RotatedKey
    let current: String
    let previous: KeyList
    let now: Timestamp
    /// When the running server began; nil where none runs.
    var serverStart: Timestamp?

    /// - Parameters:
    ///   - isImmediate: the next signing key signs although caches may not have it.
    ///   - isStolen: neither the old key nor a published one is accepted any more.
    func plan(
        isImmediate: Bool = false, isStolen: Bool = false, make: () throws(CommandFault) -> String
    ) throws(CommandFault) -> KeyPlan {
        // The last step of a swap that was interrupted. Of a stolen key it is not known which of the two was meant.
        if !isStolen, previous.entries.contains(where: { $0.isPublished && $0.text == current }) {
            return KeyPlan(outcome: .replaced, steps: [.previous(previous.without(current))])
        }
        let next = previous.entries.first { $0.isPublished && $0.text != current }
        if isStolen { return try replaceStolen(with: make()) }
        // Both calls for a signing key need a place: one for the next key, and one for the old.
        try demandPlaces(key == .signingKey && next == nil && !isImmediate ? 2 : 1)
        guard key == .signingKey else { return try replace(with: make()) }
        guard let next else {
            if isImmediate { return try replace(with: make()) }
            let entry = KeyList.Entry(try make(), record: .published(now))
            return KeyPlan(outcome: .published, steps: [.previous(previous.adding(entry))])
        }
        if !isImmediate { try demandCaches(have: next) }
        return swap(to: next)
    }

    private func demandPlaces(_ count: Int) throws(CommandFault) {
        // An interrupted call has put the current key there already.
        let others = previous.without(current).entries.count
        guard others + count > KeyList.most else { return }
        throw CommandFault(.no, "\(key.previousSetting) holds \(others) keys, and no more fit: \(relief)")
    }

    private var relief: String {
        key == .dataKey
            ? "gatehouse keys reseal, then gatehouse keys retire data_key" : "gatehouse keys retire \(key.rawValue)"
    }

    private func replace(with new: String) -> KeyPlan {
        KeyPlan(outcome: .replaced, steps: [.previous(withOld), .current(new)])
    }

    /// A next key that was published lay in the same folder as the stolen one, and goes with it.
    private func replaceStolen(with new: String) -> KeyPlan {
        var kept = previous.without(current)
        kept.entries.removeAll(where: \.isPublished)
        return KeyPlan(outcome: .replaced, steps: (kept == previous ? [] : [.previous(kept)]) + [.current(new)])
    }

    private func swap(to next: KeyList.Entry) -> KeyPlan {
        KeyPlan(
            outcome: .replaced,
            steps: [.previous(withOld), .current(next.text), .previous(withOld.without(next.text))])
    }

    /// The current key in front of those before it. One that was put there by hand has no record: it was replaced at the
    /// latest now.
    private var withOld: KeyList {
        var list = previous.adding(KeyList.Entry(current, record: .replaced(now)))
        for index in list.entries.indices where list.entries[index].record == nil {
            list.entries[index].record = .replaced(now)
        }
        return list
    }

    private func demandCaches(have next: KeyList.Entry) throws(CommandFault) {
        guard let published = next.record?.moment else { return }
        if let serverStart, serverStart < published {
            throw CommandFault(
                .no,
                "the running server has not published the next key yet: systemctl restart gatehouse, and run this "
                    + "again 5 minutes later. Nothing was changed")
        }
        let ready = max(published, serverStart ?? published) + Self.cacheTime
        guard ready <= now else {
            throw CommandFault(
                .no,
                "services may have cached the key set without the next key: run this again after "
                    + "\(ready.toTheSecond), or with --now if no service caches it. Nothing was changed")
        }
    }
}

extension KeyList.Entry {
    var isPublished: Bool {
        if case .published = record { return true }
        return false
    }
}

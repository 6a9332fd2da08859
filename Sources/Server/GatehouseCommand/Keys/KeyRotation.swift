import CommandLineTool
import Gatehouse
import GatehouseServer

/// A write to one of the two files of a key. Each is atomic, and leaves a usable configuration.
enum KeyStep: Equatable {
    case previous(KeyList)
    case current(String)
}

/// The steps of a rotation, in order.
struct KeyPlan: Equatable {
    enum Outcome: String {
        case replaced
        /// The next key is in the key set, but does not sign yet.
        case published
    }

    let outcome: Outcome
    let steps: [KeyStep]
}

/// Decides what a rotation writes, without I/O.
///
/// The old key is added to the previous keys before a new key replaces it, so that a crash between two steps leaves
/// every key in one of the files. Running the command again finishes an interrupted rotation.
struct KeyRotation {
    /// How long services may cache the key set.
    static let cacheTime = Duration.seconds(300)

    let key: RotatedKey
    let current: String
    let previous: KeyList
    let now: Timestamp
    /// When the running server started; nil if none runs.
    var serverStart: Timestamp?

    /// - Parameters:
    ///   - isImmediate: whether the next signing key signs although caches may not have it.
    ///   - isStolen: whether neither the old key nor a published one stays accepted.
    func plan(
        isImmediate: Bool = false, isStolen: Bool = false, generate: () throws(CommandError) -> String
    ) throws(CommandError) -> KeyPlan {
        // The last step of an interrupted swap. For a stolen key, it is unclear which of the two was stolen.
        if !isStolen, previous.entries.contains(where: { $0.isPublished && $0.text == current }) {
            return KeyPlan(outcome: .replaced, steps: [.previous(previous.without(current))])
        }
        let next = previous.entries.first { $0.isPublished && $0.text != current }
        if isStolen { return try replaceStolen(with: generate()) }
        // A signing key needs room for the next key and for the old one.
        try requireRoom(key == .signingKey && next == nil && !isImmediate ? 2 : 1)
        guard key == .signingKey else { return try replace(with: generate()) }
        guard let next else {
            if isImmediate { return try replace(with: generate()) }
            let entry = KeyList.Entry(try generate(), record: .published(now))
            return KeyPlan(outcome: .published, steps: [.previous(previous.adding(entry))])
        }
        if !isImmediate { try requireCached(next) }
        return swap(to: next)
    }

    private func requireRoom(_ count: Int) throws(CommandError) {
        // An interrupted rotation may have added the current key already.
        let others = previous.without(current).entries.count
        guard others + count > KeyList.maximumCount else { return }
        throw CommandError(.no, "\(key.previousSetting) holds \(others) keys, which is the limit: run \(retireCommand)")
    }

    private var retireCommand: String {
        key == .dataKey
            ? "gatehouse keys reseal, then gatehouse keys retire data_key" : "gatehouse keys retire \(key.rawValue)"
    }

    private func replace(with new: String) -> KeyPlan {
        KeyPlan(outcome: .replaced, steps: [.previous(previousWithCurrent), .current(new)])
    }

    /// Also removes a published key, which was in the same folder as the stolen one.
    private func replaceStolen(with new: String) -> KeyPlan {
        var kept = previous.without(current)
        kept.entries.removeAll(where: \.isPublished)
        return KeyPlan(outcome: .replaced, steps: (kept == previous ? [] : [.previous(kept)]) + [.current(new)])
    }

    private func swap(to next: KeyList.Entry) -> KeyPlan {
        KeyPlan(
            outcome: .replaced,
            steps: [
                .previous(previousWithCurrent), .current(next.text), .previous(previousWithCurrent.without(next.text)),
            ])
    }

    /// The previous keys with the current one in front. A key that was added by hand has no record,
    /// and counts as replaced now.
    private var previousWithCurrent: KeyList {
        var list = previous.adding(KeyList.Entry(current, record: .replaced(now)))
        for index in list.entries.indices where list.entries[index].record == nil {
            list.entries[index].record = .replaced(now)
        }
        return list
    }

    private func requireCached(_ next: KeyList.Entry) throws(CommandError) {
        guard let published = next.record?.moment else { return }
        if let serverStart, serverStart < published {
            throw CommandError(
                .no,
                "the running server has not published the next key yet: systemctl restart gatehouse, and run this "
                    + "command again 5 minutes later. Nothing was changed")
        }
        let ready = max(published, serverStart ?? published) + Self.cacheTime
        guard ready <= now else {
            throw CommandError(
                .no,
                "services may have cached the key set without the next key: run this command again after "
                    + "\(ready.toTheSecond), or with --now if no service caches the key set. Nothing was changed")
        }
    }
}

extension KeyList.Entry {
    var isPublished: Bool {
        if case .published = record { return true }
        return false
    }
}

/// A key that can be replaced while its signatures or sealed values are still accepted.
enum RotatedKey: String, CaseIterable, Sendable {
    case accessSecret = "jwt_access_secret"
    case refreshSecret = "jwt_refresh_secret"
    case dataKey = "data_key"
    case signingKey = "access_signing_key"

    /// - Parameter name: the name of its setting or of its credential.
    init(named name: String) throws(CommandError) {
        guard let key = RotatedKey(rawValue: name.lowercased()) else {
            let names = Self.allCases.map(\.rawValue).joined(separator: ", ")
            throw CommandError(
                .usage, "\(name.printable) is not a key that can be rotated: NAME must be one of \(names)")
        }
        self = key
    }

    var setting: String { rawValue.uppercased() }

    var previousSetting: String { setting + "_PREVIOUS" }

    var form: KeyList.Form { self == .signingKey ? .pem : .line }

    /// How long its signatures are accepted. Nil for DATA_KEY: sealed values do not expire.
    func lifetime(_ tokens: (access: Duration, refresh: Duration)) -> Duration? {
        switch self {
        case .accessSecret, .signingKey: tokens.access + Self.margin
        // It also signs the challenges for logins, which are valid for ten minutes.
        case .refreshSecret: max(tokens.refresh, .seconds(600)) + Self.margin
        case .dataKey: nil
        }
    }

    /// Covers the time between the replacement of the file and the restart of the server.
    private static let margin = Duration.seconds(60)
}

/// The running server that uses the keys of these settings.
enum RunningServer {
    /// When the server started, and so read its keys. Nil if none runs.
    ///
    /// - Parameter units: asked if no server answers: the socket file may be gone while the server runs.
    static func startedAt(
        _ source: SettingSource, units: () throws(UnitsFault) -> Units? = Units.ofThisMachine
    ) throws(CommandError) -> Timestamp? {
        let address = try readSettings { () throws(SettingFaults) in
            try Configuration.listen(from: source)
        }
        let start: Timestamp?
        do throws(ServerQuery.Fault) {
            start = try ServerQuery(at: address).startedAt(within: ServerQuery.Timeout.readiness)
        } catch {
            throw CommandError(
                .failed, "cannot determine which keys the running server uses; nothing was changed: \(error)")
        }
        if start == nil, try isRunning(units) {
            throw CommandError(
                .failed,
                "the server runs but does not answer at \(address), so its keys are unknown: "
                    + "systemctl restart gatehouse, and run this command again. Nothing was changed")
        }
        return start
    }

    private static func isRunning(_ units: () throws(UnitsFault) -> Units?) throws(CommandError) -> Bool {
        do throws(UnitsFault) { return try units()?[Units.service]?.process != nil } catch {
            throw CommandError(.failed, "cannot determine whether the server runs; nothing was changed: \(error)")
        }
    }
}

package import Gatehouse
package import JOSE
import POSIX

/// Apple's keys, fetched when `KeySetState` says so.
package final class AppleKeys: Sendable {
    private let state: Monitor<KeySetState>
    private let archive: KeySetArchive
    private let source: KeySource
    private let report: @Sendable (KeySetReport) -> Void
    private let now: @Sendable () -> Timestamp

    /// Begins with what an earlier process has left in the archive, and fetches nothing yet.
    ///
    /// - Parameters:
    ///   - now: the time, asked anew after each fetch, which may have taken a while.
    ///   - report: told what each fetch came to.
    package init(
        policy: KeySetPolicy = KeySetPolicy(), archive: KeySetArchive, now: @escaping @Sendable () -> Timestamp,
        report: @escaping @Sendable (KeySetReport) -> Void = { _ in }, source: @escaping KeySource
    ) {
        var initial = KeySetState(policy: policy)
        Self.restore(&initial, from: archive, now: now()).map(report)
        state = Monitor(initial)
        self.archive = archive
        self.now = now
        self.report = report
        self.source = source
    }

    package enum Fault: Error, Sendable, Equatable {
        case unknownKey
        case unavailable
    }

    /// The key of this id. May fetch, or wait for somebody else's fetch.
    package func key(_ keyID: String) throws(Fault) -> VerificationKey {
        switch state.change({ $0.ask(for: keyID, now: now(), hasWaited: false) }) {
        case .fetch:
            fetch()
        case .wait(let time):
            _ = state.wait(atMost: time) { $0.isFetching ? nil : () }
        case let settled:
            return try Self.key(in: settled)
        }
        return try Self.key(in: state.change { $0.ask(for: keyID, now: now(), hasWaited: true) })
    }

    /// For how long the set that serves has not been renewed; nil where there is none.
    package var age: Duration? { state.change { $0.age(now()) } }

    /// Renews the set if it is due. To be called every second or so, off the request path.
    package func renewIfDue() {
        if state.change({ $0.isDue(now: now()) }) { fetch() }
    }

    /// How it stands with them, for whoever watches.
    package var vitals: KeySetVitals { state.change { $0.vitals(now()) } }

    private func fetch() {
        do throws(KeySetFault) {
            let bytes = try BlockingHint.around(source)
            let set = try JWKSet(ofApple: bytes)
            let now = self.now()
            // Kept before it serves: who has signed in by it can do so again after a crash, whatever Apple does.
            archive.keep(Document(content: bytes, updatedAt: now))
            state.change { $0.finished(set, now: now) }
            report(.renewed(usableKeys: set.count, skipped: set.reasons))
        } catch {
            let now = self.now()
            let age = state.change { state in
                state.finished(nil, now: now)
                return state.age(now)
            }
            report(.failed(error, age: age))
        }
    }

    /// What there is to say about it; nil where nothing was kept.
    private static func restore(
        _ state: inout KeySetState, from archive: KeySetArchive, now: Timestamp
    ) -> KeySetReport? {
        guard let kept = archive.last() else { return nil }
        do throws(KeySetFault) {
            let set = try JWKSet(ofApple: kept.content)
            guard state.restore(set, fetchedAt: kept.updatedAt, now: now), let age = state.age(now) else {
                throw KeySetFault("it was fetched at \(kept.updatedAt)")
            }
            return .restored(usableKeys: set.count, age: age)
        } catch {
            return .discarded(error)
        }
    }

    private static func key(in answer: KeySetState.Answer) throws(Fault) -> VerificationKey {
        switch answer {
        case .key(let key): return key
        case .unknown: throw .unknownKey
        case .unavailable, .fetch, .wait: throw .unavailable
        }
    }
}

extension JWKSet {
    /// A set as Apple publishes it, with at least one key in it that identity tokens can be signed with.
    fileprivate init(ofApple bytes: [UInt8]) throws(KeySetFault) {
        do { self = try JWKSet(parsing: bytes, usableFor: [.RS256]) } catch { throw KeySetFault(error.description) }
        if isEmpty { throw KeySetFault((["no usable key"] + reasons).joined(separator: "; ")) }
    }

    /// Why keys were left out, for a log: a few, since whoever publishes a set decides how many there are.
    fileprivate var reasons: [String] { Array(skipped.prefix(5)) }
}

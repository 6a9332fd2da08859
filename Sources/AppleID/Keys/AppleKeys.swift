package import Gatehouse
package import JOSE
import POSIX

/// Apple's keys, fetched when `KeySetState` says so.
package final class AppleKeys: Sendable {
    private let state: Monitor<KeySetState>
    private let source: KeySource
    private let report: @Sendable (KeySetReport) -> Void
    private let now: @Sendable () -> Timestamp

    /// Longer than any fetch takes. Who waits holds a thread, whatever has become of the fetch.
    private static let patience = Duration.seconds(6)

    /// - Parameters:
    ///   - now: the time, asked anew after each fetch, which may have taken a while.
    ///   - report: told what each set that was fetched is good for.
    package init(
        policy: KeySetPolicy = KeySetPolicy(), now: @escaping @Sendable () -> Timestamp,
        report: @escaping @Sendable (KeySetReport) -> Void = { _ in }, source: @escaping KeySource
    ) {
        state = Monitor(KeySetState(policy: policy))
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
        case .wait:
            _ = state.wait(atMost: Self.patience) { $0.isFetching ? nil : () }
        case let settled:
            return try Self.key(in: settled)
        }
        return try Self.key(in: state.change { $0.ask(for: keyID, now: now(), hasWaited: true) })
    }

    /// Renews the set if it is due. To be called every few seconds, off the request path.
    package func renewIfDue() {
        if state.change({ $0.isDue(now: now()) }) { fetch() }
    }

    private func fetch() {
        let fetched = source().flatMap(parse)
        state.change { $0.finished(fetched, now: now()) }
    }

    private func parse(_ bytes: [UInt8]) -> JWKSet? {
        do {
            let set = try JWKSet(parsing: bytes, usableFor: [.RS256])
            report(KeySetReport(usableKeys: set.count, faults: set.skipped))
            return set
        } catch {
            report(KeySetReport(usableKeys: 0, faults: [error.description]))
            return nil
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

package import Gatehouse
package import JOSE
import POSIX
import Synchronization

/// The public keys of one provider. `KeySetState` decides when they are fetched; this class fetches them, one fetch at
/// a time for all callers (singleflight).
package final class ProviderKeys: Sendable {
    private let policy: KeySetPolicy
    private let state: Monitor<KeySetState>
    private let shared: SharedWaiters?
    private let archive: KeySetArchive
    private let source: KeySource
    private let report: KeySetReport.Handler
    private let now: @Sendable () -> Timestamp

    /// Starts with the set that an earlier process has saved. Nothing is fetched yet.
    ///
    /// - Parameters:
    ///   - shared: the limit of waiting requests that several providers have together.
    ///   - now: the clock. It is read again after each fetch, which may take seconds.
    ///   - report: called with the outcome of each fetch.
    package init(
        policy: KeySetPolicy = KeySetPolicy(), archive: KeySetArchive, shared: SharedWaiters? = nil,
        now: @escaping @Sendable () -> Timestamp, report: @escaping KeySetReport.Handler = { _, _ in },
        source: @escaping KeySource
    ) {
        var initial = KeySetState(policy: policy)
        if let restored = Self.restore(&initial, by: policy, from: archive, now: now()) { report(restored, nil) }
        state = Monitor(initial)
        self.policy = policy
        self.shared = shared
        self.archive = archive
        self.now = now
        self.report = report
        self.source = source
    }

    package enum Fault: Error, Sendable, Equatable {
        case unknownKey
        case unavailable
    }

    /// The keys that may have signed a token, at least one. May fetch the set, or wait for another thread that fetches
    /// it.
    ///
    /// - Parameter requestID: the request that needs the key; goes into the report of a fetch.
    package func keys(for reference: KeyReference, requestID: String?) throws(Fault) -> [VerificationKey] {
        let lookup = state.change {
            $0.lookUp(reference, now: now(), hasWaited: false, admitted: { shared?.enter() ?? true })
        }
        switch lookup {
        case .fetch:
            defer { shared?.leave() }
            fetch(for: requestID)
        case .wait(let time):
            defer { shared?.leave() }
            _ = state.wait(atMost: time) { $0.isFetching ? nil : () }
        default:
            return try Self.keys(in: lookup)
        }
        return try Self.keys(in: state.change { $0.lookUp(reference, now: now(), hasWaited: true) })
    }

    /// Fetches the set if its renewal is due. Called about once a second by a background thread.
    package func renewIfDue() {
        if state.change({ $0.startRenewalIfDue(now: now()) }) { fetch(for: nil) }
    }

    /// Time since the usable set was fetched; nil if there is none.
    package var age: Duration? { state.change { $0.age(now()) } }

    /// For metrics.
    package var status: KeySetStatus { state.change { $0.status(now()) } }

    private func fetch(for requestID: String?) {
        do throws(KeySetFault) {
            let bytes = try BlockingSection.run(source)
            let set = try JWKSet(published: bytes, by: policy)
            let now = self.now()
            // Saved before it is used: a user who has signed in with it can do so again after a crash.
            archive.save(Document(content: bytes, updatedAt: now))
            state.change { $0.finishFetch(set, now: now) }
            report(.renewed(usableKeys: set.count, skipped: set.firstSkipped), requestID)
        } catch {
            let now = self.now()
            let age = state.change { state in
                state.finishFetch(nil, now: now)
                return state.age(now)
            }
            report(.failed(error, age: age), requestID)
        }
    }

    /// Nil if nothing was saved.
    private static func restore(
        _ state: inout KeySetState, by policy: KeySetPolicy, from archive: KeySetArchive, now: Timestamp
    ) -> KeySetReport? {
        guard let saved = archive.load() else { return nil }
        do throws(KeySetFault) {
            let set = try JWKSet(published: saved.content, by: policy)
            guard state.restore(set, fetchedAt: saved.updatedAt, now: now), let age = state.age(now) else {
                throw KeySetFault("it was fetched at \(saved.updatedAt)")
            }
            return .restored(usableKeys: set.count, age: age)
        } catch {
            return .discarded(error)
        }
    }

    private static func keys(in lookup: KeySetState.Lookup) throws(Fault) -> [VerificationKey] {
        switch lookup {
        case .keys(let keys): return keys
        case .unknown: throw .unknownKey
        case .unavailable, .fetch, .wait: throw .unavailable
        }
    }
}

extension JWKSet {
    /// A published set. Throws if it has no key that the policy permits.
    fileprivate init(published bytes: [UInt8], by policy: KeySetPolicy) throws(KeySetFault) {
        do { self = try JWKSet(parsing: bytes, usableFor: policy.algorithms, naming: policy.naming) } catch {
            throw KeySetFault(error.description)
        }
        if isEmpty { throw KeySetFault((["no usable key"] + firstSkipped).joined(separator: "; ")) }
    }

    /// Why keys were left out. Only the first five, because the publisher decides how many keys a set has.
    fileprivate var firstSkipped: [String] { Array(skipped.prefix(5)) }
}

/// What happened to a provider's key set, for the log.
package enum KeySetReport: Sendable, Equatable {
    /// Takes a report, and the id of the request that caused it; nil for a renewal in the background.
    package typealias Handler = @Sendable (_ report: KeySetReport, _ requestID: String?) -> Void

    /// The set was fetched. `skipped` has the reasons why keys of it were left out.
    case renewed(usableKeys: Int, skipped: [String])
    /// The set could not be fetched. The set of this age stays in use; nil if there is none that is recent enough.
    case failed(KeySetFault, age: Duration?)
    /// A set of this age, which an earlier process saved, is used for now.
    case restored(usableKeys: Int, age: Duration)
    /// The set that an earlier process saved cannot be used.
    case discarded(KeySetFault)
}

/// Why a key set cannot be used.
package struct KeySetFault: Error, Sendable, Equatable, CustomStringConvertible {
    /// For the log.
    package let description: String

    package init(_ description: String) {
        self.description = description
    }
}

/// Limits the requests that fetch a key set or wait for one, of all providers that share it. Each of them occupies a
/// worker thread, so many providers that do not answer could together occupy all.
package final class SharedWaiters: Sendable {
    private let limit: Int
    private let waiters = Atomic(0)

    package init(limit: Int) {
        self.limit = limit
    }

    /// The number of requests that fetch or wait now.
    package var count: Int { waiters.load(ordering: .relaxed) }

    /// False if the limit is reached. Otherwise the caller calls `leave` when it has finished.
    func enter() -> Bool {
        guard waiters.add(1, ordering: .relaxed).newValue <= limit else {
            leave()
            return false
        }
        return true
    }

    func leave() {
        waiters.subtract(1, ordering: .relaxed)
    }
}

import Curl
package import Gatehouse
package import JOSE
import POSIX

/// Apple's public keys. `KeySetState` decides when they are fetched; this class fetches them.
package final class AppleKeys: Sendable {
    private let state: Monitor<KeySetState>
    private let archive: KeySetArchive
    private let source: KeySource
    private let report: KeySetReport.Handler
    private let now: @Sendable () -> Timestamp

    /// Starts with the set that an earlier process has saved. Nothing is fetched yet.
    ///
    /// - Parameters:
    ///   - now: the clock. It is read again after each fetch, which may take seconds.
    ///   - report: called with the outcome of each fetch.
    package init(
        policy: KeySetPolicy = KeySetPolicy(), archive: KeySetArchive, now: @escaping @Sendable () -> Timestamp,
        report: @escaping KeySetReport.Handler = { _, _ in }, source: @escaping KeySource
    ) {
        var initial = KeySetState(policy: policy)
        if let restored = Self.restore(&initial, from: archive, now: now()) { report(restored, nil) }
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

    /// The key with this id. May fetch the set, or wait for another thread that fetches it.
    ///
    /// - Parameter requestID: the request that needs the key; goes into the report of a fetch.
    package func key(_ keyID: String, requestID: String?) throws(Fault) -> VerificationKey {
        switch state.change({ $0.lookUp(keyID, now: now(), hasWaited: false) }) {
        case .fetch:
            fetch(for: requestID)
        case .wait(let time):
            _ = state.wait(atMost: time) { $0.isFetching ? nil : () }
        case let lookup:
            return try Self.key(in: lookup)
        }
        return try Self.key(in: state.change { $0.lookUp(keyID, now: now(), hasWaited: true) })
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
            let set = try JWKSet(ofApple: bytes)
            let now = self.now()
            // Saved before it is used: a user who has signed in with it can do so again after a crash.
            archive.save(SavedKeySet(content: bytes, updatedAt: now))
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
        _ state: inout KeySetState, from archive: KeySetArchive, now: Timestamp
    ) -> KeySetReport? {
        guard let saved = archive.load() else { return nil }
        do throws(KeySetFault) {
            let set = try JWKSet(ofApple: saved.content)
            guard state.restore(set, fetchedAt: saved.updatedAt, now: now), let age = state.age(now) else {
                throw KeySetFault("it was fetched at \(saved.updatedAt)")
            }
            return .restored(usableKeys: set.count, age: age)
        } catch {
            return .discarded(error)
        }
    }

    private static func key(in lookup: KeySetState.Lookup) throws(Fault) -> VerificationKey {
        switch lookup {
        case .key(let key): return key
        case .unknown: throw .unknownKey
        case .unavailable, .fetch, .wait: throw .unavailable
        }
    }
}

/// Returns the bytes of Apple's key set.
package typealias KeySource = @Sendable () throws(KeySetFault) -> [UInt8]

extension AppleKeys {
    /// The key set at a URL, fetched with the limits that `HTTPClient` sets.
    ///
    /// - Parameter onDate: takes the Date header of each answer, which tells the server's clock.
    package static func source(
        at url: String, onDate: @escaping @Sendable (String) -> Void = { _ in }
    ) -> KeySource {
        let client = HTTPClient()
        return { () throws(KeySetFault) in
            let answer: HTTPResponse
            do throws(HTTPFault) { answer = try client.get(url) } catch { throw KeySetFault(error.description) }
            if let date = answer.date { onDate(date) }
            guard answer.status == 200 else { throw KeySetFault("status \(answer.status)") }
            return answer.body
        }
    }
}

extension JWKSet {
    /// Apple's published set. Throws if it has no key for RS256, with which Apple signs.
    fileprivate init(ofApple bytes: [UInt8]) throws(KeySetFault) {
        do { self = try JWKSet(parsing: bytes, usableFor: [.RS256]) } catch { throw KeySetFault(error.description) }
        if isEmpty { throw KeySetFault((["no usable key"] + firstSkipped).joined(separator: "; ")) }
    }

    /// Why keys were left out. Only the first five, because the publisher decides how many keys a set has.
    fileprivate var firstSkipped: [String] { Array(skipped.prefix(5)) }
}

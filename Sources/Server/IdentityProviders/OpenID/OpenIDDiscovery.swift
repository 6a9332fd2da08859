import Curl
package import Gatehouse
package import POSIX

/// The endpoints in the metadata of one issuer. `OpenIDDiscoveryState` decides when they are fetched; this class fetches them.
package final class OpenIDDiscovery: Sendable {
    package let issuer: String
    private let provider: Provider
    private let gate: CallGate
    private let state = Monitor(OpenIDDiscoveryState())
    private let now: @Sendable () -> MonotonicTime
    private let get: ProviderKeys.Get
    private let report: ProviderReport.Handler

    package static let timeLimit = Duration.seconds(3)
    /// Longer than a fetch takes, so it only limits the wait if one hangs.
    private static let waitTimeout = Duration.seconds(4)

    /// - Parameter gate: limits how many requests fetch the metadata or wait for them.
    package init(
        issuer: String, of provider: Provider, gate: CallGate,
        now: @escaping @Sendable () -> MonotonicTime = { .now },
        get: @escaping ProviderKeys.Get = OpenIDDiscovery.network,
        report: @escaping ProviderReport.Handler = { _, _ in }
    ) {
        self.issuer = issuer
        self.provider = provider
        self.gate = gate
        self.now = now
        self.get = get
        self.report = report
    }

    /// Redirects are not followed.
    package static let network: ProviderKeys.Get = { (url) throws(HTTPFault) in
        try HTTPClient(timeout: timeLimit).get(url)
    }

    /// Throws `.providerUnavailable` without usable metadata, and no other refusal.
    func endpoints(requestID: String?) throws(Refusal) -> OpenIDEndpoints {
        switch state.change({ $0.next(now(), hasWaited: false) }) {
        case .use(let endpoints): return endpoints
        case .unavailable: throw .providerUnavailable(provider)
        case .fetch:
            guard gate.pass({ fetch(requestID: requestID) }) != nil else {
                let stale = state.change { state in
                    state.cancel()
                    return state.usable(now())
                }
                guard let stale else { throw crowded(requestID) }
                return stale
            }
        case .wait:
            let isDone: Void? = gate.pass { _ = state.wait(atMost: Self.waitTimeout) { $0.isFetching ? nil : () } }
            guard isDone != nil else { throw crowded(requestID) }
        }
        guard case .use(let endpoints) = state.change({ $0.next(now(), hasWaited: true) }) else {
            throw .providerUnavailable(provider)
        }
        return endpoints
    }

    /// The metadata as they are now, for a check.
    func fetched() throws(KeySetFault) -> OpenIDEndpoints {
        let address = try ProviderMetadata.address(of: issuer)
        let metadata: [UInt8]
        do throws(KeySetFault) {
            metadata = try BlockingSection.run { () throws(KeySetFault) in
                try ProviderKeys.document(at: address, get: get)
            }
        } catch { throw KeySetFault("the metadata of the issuer: \(error)") }
        return try OpenIDEndpoints(ProviderMetadata(metadata, of: issuer))
    }

    private func fetch(requestID: String?) {
        do throws(KeySetFault) {
            let endpoints = try fetched()
            state.change { $0.finish(endpoints, now()) }
        } catch {
            state.change { $0.finish(nil, now()) }
            report(.unavailable(error.description), requestID)
        }
    }

    private func crowded(_ requestID: String?) -> Refusal {
        report(.crowded, requestID)
        return .providerUnavailable(provider)
    }
}

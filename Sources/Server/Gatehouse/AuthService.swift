/// The use cases of Gatehouse. Each one is a method, in the folder of its subject.
///
/// The only state in memory is the set of revoked sessions, the refusals and confirmations that wait to be written, the proofs
/// used at the guard, and what is known of other clocks. All else is in the store.
///
/// A class, because closures of each request contain it: a copy of a structure would count twenty references up and down.
package final class AuthService: Sendable {
    let store: any Store
    let tokens: any TokenService
    let apple: any AppleVerifier
    /// The providers, Apple among them, that verify what apps send.
    package let providers: [Provider: any IdentityProvider]
    /// The providers, Apple among them, that sign in through a page of theirs.
    package let webProviders: [Provider: any WebIdentityProvider]
    /// The channels that the operator has configured for codes.
    package let senders: [CodeChannel: any MessageSender]
    /// Nil without one-tap sign-in.
    let numbers: (any NumberExchange)?
    /// Nil if passkeys are off.
    let passkeyVerifier: (any PasskeyVerifier)?
    /// Nil when no credentials for Apple's servers are configured.
    let appleServer: AppleServerAccess?
    let hasher: any IdentityHasher
    let revocations: Revocations
    let confirmations: Confirmations
    let proofs: ProofMemory
    let refusals: RefusalBuffer
    let policy: Policy
    let platform: Platform
    let clocks: Clocks
    let report: @Sendable (_ event: Observation, _ requestID: String?) -> Void

    /// - Parameters:
    ///   - providers: those that the operator has configured beside Apple.
    ///   - clocks: nil to compare the clock of `platform` with the store's, without reports.
    ///   - report: called for each event, with the id of the request that caused it.
    /// - Throws: when the store cannot list the revoked sessions. Without that list their access tokens would be
    ///   accepted.
    package init(
        store: any Store, tokens: any TokenService, apple: any AppleVerifier, appleServer: AppleServerAccess? = nil,
        providers: [Provider: any IdentityProvider] = [:],
        webProviders: [Provider: any WebIdentityProvider] = [:], senders: [CodeChannel: any MessageSender] = [:],
        numbers: (any NumberExchange)? = nil, passkeyVerifier: (any PasskeyVerifier)? = nil,
        hasher: any IdentityHasher, policy: Policy,
        platform: Platform, clocks: Clocks? = nil,
        report: @escaping @Sendable (_ event: Observation, _ requestID: String?) -> Void = { _, _ in }
    ) throws(Refusal) {
        (self.store, self.tokens, self.apple, self.appleServer) = (store, tokens, apple, appleServer)
        self.providers = providers.merging([.apple: apple]) { $1 }
        self.webProviders = webProviders
        self.senders = senders
        self.numbers = numbers
        self.passkeyVerifier = passkeyVerifier
        self.hasher = hasher
        self.policy = policy
        self.platform = platform
        self.report = report
        if let clocks {
            self.clocks = clocks
        } else {
            self.clocks = try Clocks(store: store, platform: platform, node: "")
        }
        confirmations = Confirmations()
        proofs = ProofMemory(now: platform.now())
        refusals = RefusalBuffer(now: platform.now())
        revocations = try Revocations(store: store, lifetime: Policy.revocationMemory)
        revocations.useAttributes(policy.attributes.names)
    }

    /// The same service with other settings. Both share the state in memory.
    package func with(
        tokens: any TokenService, apple: any AppleVerifier, appleServer: AppleServerAccess?,
        providers: [Provider: any IdentityProvider], webProviders: [Provider: any WebIdentityProvider],
        senders: [CodeChannel: any MessageSender], numbers: (any NumberExchange)?,
        passkeyVerifier: (any PasskeyVerifier)?, policy: Policy
    ) -> AuthService {
        AuthService(
            self, tokens, apple, appleServer, providers, webProviders, senders, numbers, passkeyVerifier, policy)
    }

    private init(
        _ other: AuthService, _ tokens: any TokenService, _ apple: any AppleVerifier, _ appleServer: AppleServerAccess?,
        _ providers: [Provider: any IdentityProvider], _ webProviders: [Provider: any WebIdentityProvider],
        _ senders: [CodeChannel: any MessageSender], _ numbers: (any NumberExchange)?,
        _ passkeyVerifier: (any PasskeyVerifier)?, _ policy: Policy
    ) {
        (store, hasher, platform, report) = (other.store, other.hasher, other.platform, other.report)
        (revocations, confirmations) = (other.revocations, other.confirmations)
        (proofs, refusals, clocks) = (other.proofs, other.refusals, other.clocks)
        (self.tokens, self.apple, self.appleServer, self.policy) = (tokens, apple, appleServer, policy)
        self.providers = providers.merging([.apple: apple]) { $1 }
        (self.webProviders, self.senders, self.numbers) = (webProviders, senders, numbers)
        self.passkeyVerifier = passkeyVerifier
        revocations.useAttributes(policy.attributes.names)
    }
}

/// The domain as one value: everything that can be asked of Gatehouse is a method of it, one file each.
///
/// It holds no state of its own but what has been revoked and what has been refused; what lasts is in the store.
package struct Gatekeeper: Sendable {
    let store: any Store
    private(set) var tokens: any TokenService
    private(set) var apple: any AppleVerifier
    /// Nil where there are no credentials for Apple's servers.
    private(set) var desk: AppleDesk?
    let hasher: any IdentityHasher
    let revocations: Revocations
    let refusals: RefusalLedger
    private(set) var policy: Policy
    let world: World
    let notice: @Sendable (Occurrence) -> Void

    /// - Parameter notice: told of what happens, for whoever counts.
    /// - Throws: when the store cannot tell which sessions have ended: serving without that would wake the dead.
    package init(
        store: any Store, tokens: any TokenService, apple: any AppleVerifier, desk: AppleDesk? = nil,
        hasher: any IdentityHasher, policy: Policy, world: World,
        notice: @escaping @Sendable (Occurrence) -> Void = { _ in }
    ) throws(StoreFailure) {
        self.store = store
        self.tokens = tokens
        self.apple = apple
        self.desk = desk
        self.hasher = hasher
        self.policy = policy
        self.world = world
        self.notice = notice
        refusals = RefusalLedger(now: world.now())
        revocations = try Revocations(store: store, lifetime: Policy.revocationMemory, now: world.now)
    }

    /// The same house under other rules and with other keys: what has ended, and who has been refused, both know.
    package func with(
        tokens: any TokenService, apple: any AppleVerifier, desk: AppleDesk?, policy: Policy
    ) -> Gatekeeper {
        var next = self
        (next.tokens, next.apple, next.desk, next.policy) = (tokens, apple, desk, policy)
        return next
    }

    /// Runs a question to the store. Its failure is said as what it is: no answer, which is never a "no".
    func asking<Answer>(_ question: () throws(StoreFailure) -> Answer) throws(Refusal) -> Answer {
        do { return try question() } catch { throw .storageUnavailable }
    }
}

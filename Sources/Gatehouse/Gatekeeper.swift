/// The domain as one value: everything that can be asked of Gatehouse is a method of it, one file each.
///
/// It holds no state of its own but the revoked sessions; what lasts is in the store.
package struct Gatekeeper: Sendable {
    let store: any Store
    let tokens: any TokenService
    let apple: any AppleVerifier
    let revoked: RevokedSessions
    let policy: Policy
    let world: World
    let notice: @Sendable (SecurityEvent) -> Void

    /// - Parameter notice: told of what an operator should know of, as it happens.
    /// - Throws: when the store cannot tell which sessions have ended: serving without that would wake the dead.
    package init(
        store: any Store, tokens: any TokenService, apple: any AppleVerifier, policy: Policy, world: World,
        notice: @escaping @Sendable (SecurityEvent) -> Void = { _ in }
    ) throws(StoreFailure) {
        self.store = store
        self.tokens = tokens
        self.apple = apple
        self.policy = policy
        self.world = world
        self.notice = notice
        // The tokens out there were issued by the rules of an earlier start, and perhaps a moment after the session's
        // end was decided on: so it is remembered for longer than any token lives.
        let memory = Policy.longestAccessTokenLifetime + .seconds(60)
        revoked = RevokedSessions(lifetime: memory)
        for (id, moment) in try store.sessionsRevoked(since: world.now() - memory) {
            revoked.insert(id, revokedAt: moment)
        }
    }

    /// Runs a question to the store. Its failure is said as what it is: no answer, which is never a "no".
    func asking<Answer>(_ question: () throws(StoreFailure) -> Answer) throws(Refusal) -> Answer {
        do { return try question() } catch { throw .storageUnavailable }
    }
}

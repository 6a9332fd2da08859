import AppleID
import Gatehouse
import Testing

/// How far a login comes before it is refused, told by the fetches of Apple's keys that it causes.
enum Stage {
    /// Its fault shows without a key: nothing is ever fetched for it.
    case beforeTheKey
    /// It names a key that nobody has: worth a look at Apple's.
    case theKey
    /// Its fault shows with the key at hand: fetched if it was not there, and never again.
    case afterTheKey

    func fetches(whenWarm isWarm: Bool) -> Int {
        switch self {
        case .beforeTheKey: 0
        case .theKey: 1
        case .afterTheKey: isWarm ? 0 : 1
        }
    }
}

/// Expects a login to be refused for a reason, and at a stage.
func expectRefusal(
    _ credential: AppleCredential, _ reason: AppleTokenFault, _ stage: Stage,
    policy: IdentityTokenPolicy = .ofTests, at now: Timestamp = Genuine.moment,
    sourceLocation: SourceLocation = #_sourceLocation
) {
    for isWarm in [false, true] {
        let desk = Desk(policy: policy, isWarm: isWarm)
        let verdict = desk.judge(credential, at: now)
        #expect(verdict == .refused(.appleToken(reason)), sourceLocation: sourceLocation)
        #expect(desk.fetches == stage.fetches(whenWarm: isWarm), "keys fetched", sourceLocation: sourceLocation)
    }
}

/// The same for a token on its own.
func expectRefusal(
    _ token: String, _ reason: AppleTokenFault, _ stage: Stage = .beforeTheKey,
    policy: IdentityTokenPolicy = .ofTests, at now: Timestamp = Genuine.moment,
    sourceLocation: SourceLocation = #_sourceLocation
) {
    expectRefusal(
        AppleCredential(identityToken: token), reason, stage, policy: policy, at: now, sourceLocation: sourceLocation)
}

/// Expects a login to be accepted, and returns what it says.
@discardableResult
func expectAcceptance(
    _ credential: AppleCredential, policy: IdentityTokenPolicy = .ofTests, at now: Timestamp = Genuine.moment,
    sourceLocation: SourceLocation = #_sourceLocation
) -> AppleAssertion? {
    let verdict = Desk(policy: policy, isWarm: true).judge(credential, at: now)
    guard case .accepted(let assertion) = verdict else {
        Issue.record("refused: \(verdict)", sourceLocation: sourceLocation)
        return nil
    }
    return assertion
}

@discardableResult
func expectAcceptance(
    _ token: String, policy: IdentityTokenPolicy = .ofTests, at now: Timestamp = Genuine.moment,
    sourceLocation: SourceLocation = #_sourceLocation
) -> AppleAssertion? {
    expectAcceptance(
        AppleCredential(identityToken: token), policy: policy, at: now, sourceLocation: sourceLocation)
}

extension IdentityTokenPolicy {
    static var ofTests: Self { IdentityTokenPolicy(audiences: [Genuine.audience]) }
}

import Gatehouse
import IdentityProviders
import Testing

/// When a login is refused. The number of key fetches that it causes shows it.
enum Stage {
    /// Refused without Apple's key: no fetch.
    case beforeKeyLookup
    /// Refused because the key is unknown: one fetch.
    case keyLookup
    /// Refused with Apple's key: one fetch if the keys have not been fetched before.
    case afterKeyLookup

    func fetches(whenWarm isWarm: Bool) -> Int {
        switch self {
        case .beforeKeyLookup: 0
        case .keyLookup: 1
        case .afterKeyLookup: isWarm ? 0 : 1
        }
    }
}

/// Expects that what a fixture verifies is refused for this reason and at this stage.
func expectRefusal<Accepted>(
    _ reason: IdentityFault.Reason, _ stage: Stage, by policy: TokenRules, _ sourceLocation: SourceLocation,
    of verify: (VerifierFixture) -> Result<Accepted, Refusal>
) {
    for isWarm in [false, true] {
        let fixture = VerifierFixture(policy: policy, isWarm: isWarm)
        let outcome = verify(fixture)
        #expect(outcome.reason == reason, "\(outcome)", sourceLocation: sourceLocation)
        #expect(fixture.fetches == stage.fetches(whenWarm: isWarm), "key fetches", sourceLocation: sourceLocation)
    }
}

/// The same for a login.
func expectRefusal(
    _ credential: IdentityCredential, _ reason: IdentityFault.Reason, _ stage: Stage,
    policy: TokenRules = .ofTests, at now: Timestamp = ValidLogin.now,
    sourceLocation: SourceLocation = #_sourceLocation
) {
    expectRefusal(reason, stage, by: policy, sourceLocation) { $0.verify(credential, at: now) }
}

/// The same for a login with only a token.
func expectRefusal(
    _ token: String, _ reason: IdentityFault.Reason, _ stage: Stage = .beforeKeyLookup,
    policy: TokenRules = .ofTests, at now: Timestamp = ValidLogin.now,
    sourceLocation: SourceLocation = #_sourceLocation
) {
    expectRefusal(
        IdentityCredential(identityToken: token), reason, stage, policy: policy, at: now, sourceLocation: sourceLocation
    )
}

/// Expects that a login is accepted, and returns the content of its token.
@discardableResult
func expectAcceptance(
    _ credential: IdentityCredential, policy: TokenRules = .ofTests, at now: Timestamp = ValidLogin.now,
    sourceLocation: SourceLocation = #_sourceLocation
) -> ProvenIdentity? {
    VerifierFixture(policy: policy, isWarm: true).verify(credential, at: now).accepted(sourceLocation)
}

@discardableResult
func expectAcceptance(
    _ token: String, policy: TokenRules = .ofTests, at now: Timestamp = ValidLogin.now,
    sourceLocation: SourceLocation = #_sourceLocation
) -> ProvenIdentity? {
    expectAcceptance(
        IdentityCredential(identityToken: token), policy: policy, at: now, sourceLocation: sourceLocation)
}

extension TokenRules {
    static var ofTests: Self { .apple(audiences: [ValidLogin.audience]) }
}

import Gatehouse
import IdentityProviders
import JOSE
import Synchronization
import Testing

/// Verifies logins and notifications as the server does, and counts the key fetches that this causes.
struct VerifierFixture {
    private let fetched = Counter()
    private let logIn: AppleSignIn
    private let fetchedBefore: Int

    /// - Parameter isWarm: whether the keys have been fetched before the login.
    /// - Parameter notifications: which notifications are accepted; nil for the same as tokens.
    init(
        policy: TokenRules, isWarm: Bool, notifications: TokenRules? = nil,
        source: @escaping KeySource = { ValidLogin.keySet }
    ) {
        let counting: KeySource = { [fetched] () throws(KeySetFault) in
            fetched.increment()
            return try source()
        }
        let keys = ProviderKeys(now: { ValidLogin.now }, source: counting)
        if isWarm { keys.renewIfDue() }
        fetchedBefore = fetched.count
        logIn = AppleSignIn(
            rules: policy, keys: keys, replayGrace: .zero, notifications: notifications)
    }

    var fetches: Int { fetched.count - fetchedBefore }

    func verify(
        _ credential: IdentityCredential, at now: Timestamp = ValidLogin.now
    ) -> Result<ProvenIdentity, Refusal> {
        Result { () throws(Refusal) in try logIn.verify(credential, now: now, requestID: nil) }
    }

    func verify(notification: String, at now: Timestamp = ValidLogin.now) -> Result<AppleNotification, Refusal> {
        Result { () throws(Refusal) in try logIn.verify(notification: notification, now: now, requestID: nil) }
    }
}

extension IdentityProvider {
    /// For a credential without a code.
    func verify(
        _ credential: IdentityCredential, now: Timestamp, requestID: String?
    ) throws(Refusal) -> ProvenIdentity {
        try verify(credential, in: Verification(now: now, requestID: requestID, codes: AnyCode()))
    }
}

/// Marks codes as used, each time anew.
struct AnyCode: OneTimeCodes {
    /// Called with each code. What it throws is the refusal.
    var spend: @Sendable (_ code: String) throws(Refusal) -> Void = { (_) throws(Refusal) in }

    func spend(_ code: String, of provider: Provider, now: Timestamp) throws(Refusal) { try spend(code) }
}

/// What the tests compare.
extension ProvenIdentity {
    var subject: String { identity.subject }
    var email: String? { identity.email }
    var emailVerified: Bool? { identity.emailVerified }
    var isPrivateEmail: Bool? { identity.isPrivateEmail }
    var realUserStatus: Int? { identity.realUserStatus }
    var transferSubject: String? { identity.transferSubject }
    var unionSubject: String? { identity.unionSubject }
    var tokenHash: [UInt8]? { redemption?.tokenHash }
    var expiresAt: Timestamp? { redemption?.expiresAt }
}

extension Result where Failure == Refusal {
    /// Nil for an accepted token.
    var refusal: Refusal? {
        guard case .failure(let refusal) = self else { return nil }
        return refusal
    }

    /// Why a token of Apple was refused; nil also for another refusal.
    var fault: IdentityFault? {
        guard case .failure(.identity(let fault, by: .apple)) = self else { return nil }
        return fault
    }

    var reason: IdentityFault.Reason? { fault?.reason }

    /// What was accepted. Records a refusal.
    func accepted(_ sourceLocation: SourceLocation) -> Success? {
        if let refusal { Issue.record("refused: \(refusal)", sourceLocation: sourceLocation) }
        return try? get()
    }
}

/// A counter for several threads.
final class Counter: Sendable {
    private let value = Atomic(0)

    var count: Int { value.load(ordering: .sequentiallyConsistent) }

    func increment() { value.add(1, ordering: .sequentiallyConsistent) }
}

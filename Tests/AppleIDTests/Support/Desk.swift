import AppleID
import Gatehouse
import JOSE
import Synchronization
import Testing

/// Judges logins as the server does, and counts how often Apple's keys are fetched for it.
struct Desk {
    enum Verdict: Equatable {
        case accepted(AppleAssertion)
        case refused(Refusal)

        /// Nil for a login that was accepted.
        var refusal: Self? {
            guard case .refused = self else { return nil }
            return self
        }
    }

    private let fetched = Counter()
    private let identity: AppleSignIn
    private let fetchedBefore: Int

    /// - Parameter isWarm: whether the keys are there already when the login comes.
    init(policy: IdentityTokenPolicy, isWarm: Bool, source: @escaping KeySource = { Genuine.keySet }) {
        let counting: KeySource = { [fetched] () throws(KeySetFault) in
            fetched.increment()
            return try source()
        }
        let keys = AppleKeys(now: { Genuine.moment }, source: counting)
        if isWarm { keys.renewIfDue() }
        fetchedBefore = fetched.count
        identity = AppleSignIn(verifier: IdentityTokenVerifier(policy: policy), keys: keys)
    }

    var fetches: Int { fetched.count - fetchedBefore }

    func judge(_ credential: AppleCredential, at now: Timestamp = Genuine.moment) -> Verdict {
        do { return .accepted(try identity.verify(credential, now: now)) } catch { return .refused(error) }
    }

    func judge(notification: String, at now: Timestamp = Genuine.moment) -> Result<AppleNotification, Refusal> {
        Result { () throws(Refusal) in try identity.verify(notification: notification, now: now) }
    }
}

/// Counts from several threads.
final class Counter: Sendable {
    private let value = Atomic(0)

    var count: Int { value.load(ordering: .sequentiallyConsistent) }

    func increment() { value.add(1, ordering: .sequentiallyConsistent) }
}

import Gatehouse
import IdentityProviders
import JOSE
import JSON
import POSIX
import Testing

/// Verifies logins with an OpenID provider as the server does, and counts the fetches of its keys.
struct OpenIDFixture {
    static let name = provider("ACME")

    private let published: Monitor<[UInt8]?>
    private let fetched: Counter
    private let clock: Monitor<Timestamp>
    private let provider: IdentityTokenVerifier

    /// - Parameter published: the bytes of the key set; nil for one that cannot be fetched.
    init(
        policy: TokenRules = .ofOpenIDTests, name: Provider = Self.name,
        published: [UInt8]? = ValidLogin.bytes(ofSetWith: OpenIDLogin.keys)
    ) {
        let (published, fetched, clock) = (Monitor(published), Counter(), Monitor(OpenIDLogin.now))
        let source: KeySource = { () throws(KeySetFault) in
            fetched.increment()
            guard let bytes = published.change({ $0 }) else { throw KeySetFault("down") }
            return bytes
        }
        let keys = ProviderKeys(policy: KeySetPolicy(for: policy), now: { clock.change { $0 } }, source: source)
        (self.published, self.fetched, self.clock) = (published, fetched, clock)
        provider = IdentityTokenVerifier(of: name, by: policy, keys: keys, replayGrace: .seconds(60))
    }

    var fetches: Int { fetched.count }
    var requiresChallenge: Bool { provider.requiresChallenge }

    func publish(_ keys: [SigningKey]) { published.change { $0 = ValidLogin.bytes(ofSetWith: keys) } }
    func advance(_ time: Duration) { clock.change { $0 = $0 + time } }

    func verify(
        _ token: String?, nonce: String? = OpenIDLogin.nonce, accessToken: String? = nil
    ) -> Result<ProvenIdentity, Refusal> {
        let credential = IdentityCredential(identityToken: token, nonce: nonce, accessToken: accessToken)
        return Result { () throws(Refusal) in
            try provider.verify(credential, now: clock.change { $0 }, requestID: nil)
        }
    }

    /// Why the token was refused, or nil for an accepted one. Records any other refusal.
    func fault(_ token: String, nonce: String? = OpenIDLogin.nonce, accessToken: String? = nil) -> IdentityFault? {
        switch verify(token, nonce: nonce, accessToken: accessToken) {
        case .success: return nil
        case .failure(.identity(let fault, by: Self.name)): return fault
        case .failure(let refusal):
            Issue.record("refused: \(refusal)")
            return nil
        }
    }

    static func provider(_ name: String) -> Provider {
        guard let provider = Provider(rawValue: name) else { preconditionFailure("not a provider: \(name)") }
        return provider
    }
}

/// Expects that a token is refused for this fault before its key is needed: nothing is fetched.
func expectEarlyRefusal(
    _ token: String, _ fault: IdentityFault, policy: TokenRules = .ofOpenIDTests,
    sourceLocation: SourceLocation = #_sourceLocation
) {
    let fixture = OpenIDFixture(policy: policy)
    #expect(fixture.fault(token) == fault, sourceLocation: sourceLocation)
    #expect(fixture.fetches == 0, sourceLocation: sourceLocation)
}

/// Expects that a token is accepted, and returns its content.
@discardableResult
func expectAcceptance(
    ofOpenID token: String, policy: TokenRules = .ofOpenIDTests, nonce: String? = OpenIDLogin.nonce,
    accessToken: String? = nil, sourceLocation: SourceLocation = #_sourceLocation
) -> ProvenIdentity? {
    OpenIDFixture(policy: policy).verify(token, nonce: nonce, accessToken: accessToken).accepted(sourceLocation)
}

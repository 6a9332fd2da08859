import StoreSupport
import Synchronization
import Testing

@testable import Gatehouse

/// With a provider and a store that know nothing of the rules.
@Suite("Rules of signing in through a browser")
struct WebSignInRuleTests {
    private static let page = "https://app.example.com/signed-in"
    private let provider = AnyAnswer()
    private let auth: AuthService

    init() throws {
        var policy = Policy.ofTests()
        policy.web = WebPolicy(redirectURIs: [try RedirectURI(Self.page)], origin: "https://api.example.com")
        auth = try AuthService.ofTests(SignInStore(), policy: policy, webProviders: [.dev: provider])
    }

    private func begin(in browser: String? = nil) throws -> WebSignInStart {
        try auth.begin(
            WebSignInRequest(
                provider: .dev, redirectURI: Self.page, codeChallenge: String(repeating: "v", count: 43),
                codeChallengeMethod: "S256"), in: browser, requestID: "test")
    }

    /// Whether a sign-in in a browser of its own ends with a code.
    private func isProven(by code: String, _ token: String) throws -> Bool {
        let start = try begin()
        let address = try? auth.finishWebSignIn(
            by: .dev, state: start.page, ProviderAnswer(code: code, identityToken: token), in: start.browser,
            from: .unknown, in: RequestContext(id: "test"))
        return address?.hasPrefix(Self.page + "?code=") == true
    }

    @Test("A cookie is kept only if it has the form of one that was set here")
    func cookie() throws {
        let own = String(repeating: "a", count: 43)
        #expect(try begin(in: own).browser == own)
        for other in ["", "a", own + "a", String(repeating: "a", count: 42) + "="] {
            #expect(try begin(in: other).browser != other)
        }
    }

    @Test("State, nonce, verifier and cookie are new for each sign-in, and none of them is another or the app's")
    func secrets() throws {
        let browsers = try [begin(), begin()].map(\.browser)
        let secrets = provider.asked.flatMap { [$0.state, $0.nonce, $0.codeVerifier] } + browsers
        #expect(Set(secrets + [String(repeating: "v", count: 43)]).count == 9)
    }

    @Test("What a provider sends through the browser is good for one sign-in: its code, and its identity token")
    func once() throws {
        #expect(try isProven(by: "a", "x"))
        #expect(try !isProven(by: "a", "y") && !isProven(by: "b", "x"))
        #expect(try isProven(by: "c", "y"))
    }

    @Test("A code lives until its end, unless a clock that was wrong has set it")
    func wrongClock() {
        func isAlive(_ milliseconds: Int64) -> Bool {
            let (now, rest) = (Timestamp(seconds: 1000), Duration.milliseconds(milliseconds))
            return StoredAuthorizationCode(
                hash: [], redirectURI: "", codeChallenge: "", sealedProof: [], expiresAt: now + rest
            ).isAlive(now: now)
        }
        #expect(isAlive(1) && isAlive(60_000) && !isAlive(0) && !isAlive(86_400_000))
    }
}

/// Keeps what a sign-in keeps, without the conditions of a database.
private final class SignInStore: PartialStore {
    private let requests = Mutex<[[UInt8]: StoredAuthorizationRequest]>([:])
    private let spent = Mutex<Set<[UInt8]>>([])

    func keep(_ request: StoredAuthorizationRequest) throws(Refusal) {
        requests.withLock { $0[request.stateHash] = request }
    }

    func takeAuthorizationRequest(
        _ stateHash: [UInt8], of: Provider, in: [UInt8]
    ) throws(Refusal) -> StoredAuthorizationRequest? { requests.withLock { $0.removeValue(forKey: stateHash) } }

    func keep(_: StoredAuthorizationCode) throws(Refusal) {}

    func spend(_ redemption: Redemption) throws(Refusal) -> Bool {
        spent.withLock { $0.insert(redemption.tokenHash).inserted }
    }

    func revocations(after place: Int64) throws(Refusal) -> [Revocation] { [] }
}

/// Proves one identity by every answer. Its page is the state.
private final class AnyAnswer: WebIdentityProvider {
    private let requests = Mutex<[ProviderRequest]>([])

    var asked: [ProviderRequest] { requests.withLock { $0 } }

    func pageAddress(for request: ProviderRequest, requestID: String?) throws(Refusal) -> String {
        requests.withLock { $0.append(request) }
        return request.state
    }

    func verify(
        _ answer: ProviderAnswer, to asked: ProviderRequest, in request: Verification
    ) throws(Refusal) -> ProvenIdentity {
        if let code = answer.code { try request.spend(code, of: .dev) }
        return ProvenIdentity(
            identity: Identity(provider: .dev, subject: "ann", email: nil), clientID: "app", issuedAt: request.now,
            redemption: answer.identityToken.map {
                Redemption(tokenHash: Array($0.utf8), moment: request.now, expiresAt: request.now + .seconds(86_400))
            })
    }
}

import Gatehouse
import IdentityProviders
import JOSE
import JSON
import POSIX

@testable import Curl

/// A provider whose metadata, keys and token endpoint are prepared, and which a browser has come back from.
struct OpenIDWebFixture {
    static let clientID = "client-web"
    static let secret = "the-client-secret"
    static let tokenPath = "/token"
    static let page = "https://op.example/authorize"
    static let metadata: JSONObject = [
        "issuer": .string(OpenIDLogin.issuer), "authorization_endpoint": .string(page),
        "token_endpoint": .string(ScriptedProvider.apiURL + tokenPath),
    ]

    let script: ScriptedProvider
    let provider: OpenIDWebSignIn
    private let published: Monitor<JSONObject?>
    private let fetched = Counter()
    private let clock = Monitor(MonotonicTime.now)

    /// - Parameter metadata: nil for metadata that cannot be fetched.
    init(
        _ answers: [ScriptedProvider.Answer] = [], client: WebClient = WebClient(id: clientID, secret: secret),
        policy: TokenRules = .ofOpenIDTests, metadata: JSONObject? = OpenIDWebFixture.metadata,
        gate: CallGate = CallGate(limit: 1)
    ) {
        let (published, fetched, clock) = (Monitor(metadata), fetched, clock)
        self.published = published
        script = ScriptedProvider(answers.map { (Self.tokenPath, $0) }, gate: gate)
        let discovery = OpenIDDiscovery(
            issuer: OpenIDLogin.issuer, of: OpenIDFixture.name, gate: gate, now: { clock.change { $0 } },
            get: { (_) throws(HTTPFault) in
                fetched.increment()
                guard let metadata = published.change({ $0 }) else { throw .transport(code: 7, name: "down") }
                return HTTPResponse(status: 200, body: metadata.bytes)
            })
        let keys = ProviderKeys(
            policy: KeySetPolicy(for: policy), now: { OpenIDLogin.now },
            source: { ValidLogin.bytes(ofSetWith: OpenIDLogin.keys) })
        provider = OpenIDWebSignIn(
            name: OpenIDFixture.name, rules: policy, client: client, keys: keys,
            discovery: client.needsMetadata ? discovery : nil, calls: script.calls)
    }

    var fetches: Int { fetched.count }
    func publish(_ metadata: JSONObject?) { published.change { $0 = metadata } }
    func advance(_ time: Duration) { clock.change { $0 = $0 + time } }

    func page(for request: ProviderRequest = WebRequest.sent) -> Result<String, Refusal> {
        Result { () throws(Refusal) in try provider.pageAddress(for: request, requestID: nil) }
    }

    func verify(
        _ answer: ProviderAnswer = ProviderAnswer(code: WebRequest.code), spendRefuses refusal: Refusal? = nil
    ) -> Result<ProvenIdentity, Refusal> {
        script.signIn(
            by: provider, with: answer, to: WebRequest.sent, now: OpenIDLogin.now, spendRefuses: refusal)
    }

    /// Why the answer with this identity token was refused; nil for an accepted one.
    static func fault(ofGrant grant: ScriptedProvider.Answer, policy: TokenRules = .ofOpenIDTests) -> IdentityFault? {
        guard case .failure(.identity(let fault, _)) = OpenIDWebFixture([grant], policy: policy).verify() else {
            return nil
        }
        return fault
    }

    /// The answer of the token endpoint. The token differs from a valid one in these claims.
    static func grant(
        _ changes: [(String, JSONValue?)] = [], by key: SigningKey = OpenIDLogin.rsa, accessToken: String? = nil
    ) -> ScriptedProvider.Answer {
        let valid: [(String, JSONValue?)] = [("aud", .string(clientID)), ("nonce", .string(WebRequest.nonce))]
        var answer: JSONObject = [
            "token_type": "Bearer", "expires_in": 3600,
            "id_token": .string(OpenIDLogin.token(valid + changes, by: key)),
        ]
        answer["access_token"] = accessToken.map(JSONValue.string)
        return .body(answer.description)
    }
}

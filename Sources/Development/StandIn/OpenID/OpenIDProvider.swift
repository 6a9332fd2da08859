import DevelopmentHTTP
import JOSE
import JSON
import OpenSSL
import Synchronization

/// An OpenID Connect provider: its discovery document, its keys, its page, and what it signs.
final class OpenIDProvider: Sendable {
    static let discoveryPath = ".well-known/openid-configuration"
    static let keysPath = "keys"
    static let pagePath = "authorize"
    static let tokenPath = "token"
    /// With their names in the body of `POST /openid/NAME/keys/faults`.
    static let endpoints: [(name: String, path: String, modes: [AnswerMode])] = [
        ("discovery", discoveryPath, AnswerMode.ofDiscovery), ("keys", keysPath, AnswerMode.ofKeys),
        ("authorize", pagePath, AnswerMode.ofSignIn), ("token", tokenPath, AnswerMode.ofSignIn),
    ]

    let name: String
    let address: String
    let keys: PublishedKeys
    let log: RequestLog
    /// By the name of the endpoint.
    private let responders: [String: Responder]
    let clients: WebClients
    let forged = ForgedAnswers()
    private let codes = Mutex(OpenIDCodes())
    private let state: Mutex<OpenIDSettings>

    init(name: String, base: String, folder: String?, log: RequestLog) {
        (self.name, self.log) = (name, log)
        address = "\(base)/openid/\(name)"
        keys = PublishedKeys(
            of: "openid/\(name)", path: folder.map { "\($0)/openid-\(name).pem" },
            initial: name == Google.name ? [.RS256, .RS256] : [.RS256, .ES256]
        ) { thumbprint in
            // Google's key ids are 40 hexadecimal digits.
            RandomText.hexadecimal(SHA256.hash(Array(thumbprint.utf8)).prefix(20))
        }
        responders = Dictionary(uniqueKeysWithValues: Self.endpoints.map { ($0.name, Responder(log: log)) })
        clients = WebClients(name == Google.name ? Google.usualClient : Self.usualClient)
        state = Mutex(OpenIDSettings(issuer: name == Google.name ? Google.issuer : address))
    }

    var isGoogle: Bool { name == Google.name }

    var settings: OpenIDSettings {
        get { state.withLock { $0 } }
        set { state.withLock { $0 = newValue } }
    }

    /// The issuer that is used unless another one is set.
    var usualIssuer: String { isGoogle ? Google.issuer : address }

    /// Nil for a method that the endpoint does not have.
    func answer(_ request: HTTPRequest, at path: String, now: Int64) -> HTTPAction? {
        let methods = path == Self.tokenPath ? ["POST"] : path == Self.pagePath ? ["GET", "POST"] : ["GET"]
        guard methods.contains(request.method), let endpoint = Self.endpoints.first(where: { $0.path == path }),
            let responder = responders[endpoint.name]
        else { return nil }
        let fields = (path == Self.tokenPath ? request.form : request.query)?.knownNames ?? []
        return responder.answer(request, fields: fields) { [self] settings in
            PartyReply(reply: reply(to: request, at: path, settings.mode, now: now))
        }
    }

    private func reply(to request: HTTPRequest, at path: String, _ mode: AnswerMode, now: Int64) -> HTTPReply {
        do {
            switch path {
            case Self.keysPath: return try keySetReply(mode)
            case Self.pagePath: return try OpenIDPage(provider: self, now: now).answer(request)
            case Self.tokenPath: return try OpenIDTokenEndpoint(provider: self, now: now).answer(request)
            default: return try discoveryReply(mode)
            }
        } catch let fault as PageFault {
            return WebPage.fault(of: title, fault.error, fault.reason).reply
        } catch let error as OAuthError {
            return error.reply(isGoogle: isGoogle)
        } catch {
            return .refusal("500 Internal Server Error", "\(error)")
        }
    }

    private func keySetReply(_ mode: AnswerMode) throws -> HTTPReply {
        let reply = HTTPReply.ok(try KeySetDocument(keys: keys).json(mode))
        guard let maximumAge = settings.maximumAge else { return reply }
        return reply.adding("Cache-Control", "public, max-age=\(maximumAge), must-revalidate, no-transform")
    }

    private func discoveryReply(_ mode: AnswerMode) throws -> HTTPReply {
        .ok([
            "issuer": mode == .wrongIssuer ? "https://wrong.example" : .string(settings.issuer),
            "authorization_endpoint": .string("\(address)/\(Self.pagePath)"),
            "token_endpoint": .string("\(address)/\(Self.tokenPath)"),
            "jwks_uri": .string("\(address)/\(Self.keysPath)"),
            "response_types_supported": ["code"], "subject_types_supported": ["public"],
            "response_modes_supported": .array(AuthorizationAnswer.Mode.allCases.map { .string($0.rawValue) }),
            "grant_types_supported": ["authorization_code"], "authorization_response_iss_parameter_supported": true,
            "id_token_signing_alg_values_supported": .array(try keys.algorithms.map { .string($0.rawValue) }),
            "scopes_supported": ["openid", "email", "profile"],
            "token_endpoint_auth_methods_supported": ["client_secret_post", "client_secret_basic"],
            "code_challenge_methods_supported": ["S256"],
        ])
    }
}

extension OpenIDProvider {
    var faults: OpenIDFaults {
        get { OpenIDFaults(answers: responders.mapValues(\.settings), settings: settings) }
        set {
            for (name, answer) in newValue.answers { responders[name]?.settings = answer }
            settings = newValue.settings
        }
    }

    var requestCounts: JSONObject {
        JSONObject(Self.endpoints.map { ($0.name, .integer(log.count(of: "/openid/\(name)/\($0.path)"))) })
    }
}

// Signing in at the page.
extension OpenIDProvider {
    static let usualClient = WebClient(id: "com.example.web", secret: "o0123456789abcdef0123456789abcdef")

    /// For the user of the page.
    var title: String { isGoogle ? "Google" : name }

    func addCode(_ code: OpenIDCode) -> String { codes.withLock { $0.add(code) } }

    func redeem(
        _ text: String, clientID: String, redirectURI: String?, verifier: String?, now: Int64
    ) throws(OAuthError) -> OpenIDCode {
        try codes.withLock { codes throws(OAuthError) in
            try codes.redeem(text, clientID: clientID, redirectURI: redirectURI, verifier: verifier, now: now)
        }
    }

    func token(_ order: IdentityOrder, now: Int64) throws -> String {
        var order = order
        if isGoogle { order.fillGoogleDefaults() }
        return Mint(key: try keys.signing(order.algorithm, isForged: order.isForged))
            .token(order, issuer: settings.issuer, now: now)
    }
}

/// What a test or a developer has set for a provider.
struct OpenIDSettings: Equatable, Sendable {
    static let usualMaximumAge: Int64 = 19_800

    /// Of the discovery document and of tokens.
    var issuer: String
    /// The seconds for which the key set may be cached; nil for no such header.
    var maximumAge: Int64? = Self.usualMaximumAge
}

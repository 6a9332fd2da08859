import DevelopmentHTTP
import JOSE
import JSON
import Synchronization

/// An OpenID Connect provider: its discovery document, its keys, and what it signs.
final class OpenIDProvider: Sendable {
    static let discoveryPath = ".well-known/openid-configuration"
    static let keysPath = "keys"
    static let endpoints = [discoveryPath, keysPath]

    let name: String
    let address: String
    let keys: ProviderKeys
    let log: ProviderRequestLog
    let discovery: Responder
    let keySet: Responder
    private let state: Mutex<OpenIDSettings>

    init(name: String, base: String, folder: String?, log: ProviderRequestLog) {
        self.name = name
        self.log = log
        address = "\(base)/openid/\(name)"
        keys = ProviderKeys(
            path: folder.map { "\($0)/openid-\(name).pem" },
            initial: name == Google.name ? [.RS256, .RS256] : [.RS256, .ES256])
        discovery = Responder(log: log)
        keySet = Responder(log: log)
        state = Mutex(OpenIDSettings(issuer: name == Google.name ? Google.issuer : address))
    }

    var isGoogle: Bool { name == Google.name }

    var settings: OpenIDSettings {
        get { state.withLock { $0 } }
        set { state.withLock { $0 = newValue } }
    }

    /// The issuer that is used unless another one is set.
    var usualIssuer: String { isGoogle ? Google.issuer : address }

    func answer(_ request: HTTPRequest, at path: String) -> HTTPAction {
        let responder = path == Self.keysPath ? keySet : discovery
        return responder.answer(request) { [self] settings in
            do {
                return ProviderReply(
                    reply: path == Self.keysPath ? try keySetReply(settings.mode) : try discoveryReply(settings.mode))
            } catch {
                return ProviderReply(reply: .refusal("500 Internal Server Error", "\(error)"))
            }
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
            "authorization_endpoint": .string(address + "/authorize"), "token_endpoint": .string(address + "/token"),
            "jwks_uri": .string("\(address)/\(Self.keysPath)"),
            "response_types_supported": ["code", "id_token", "code id_token"], "subject_types_supported": ["public"],
            "id_token_signing_alg_values_supported": .array(try keys.algorithms.map { .string($0.rawValue) }),
            "scopes_supported": ["openid", "email", "profile"],
            "token_endpoint_auth_methods_supported": ["client_secret_post", "client_secret_basic"],
            "code_challenge_methods_supported": ["S256"],
        ])
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

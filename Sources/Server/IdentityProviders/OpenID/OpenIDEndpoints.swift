/// Where an OpenID provider lets users sign in and exchanges codes, as its metadata says.
struct OpenIDEndpoints: Sendable, Equatable {
    /// Nil where the metadata have none that may be used. The settings may name another one.
    let pageURL: String?
    let tokenURL: String?
    let authentication: ClientAuthentication
    /// Whether each of its answers says who answers (RFC 9207).
    let namesIssuer: Bool

    /// What holds for a provider without metadata.
    static let unknown = OpenIDEndpoints(pageURL: nil, tokenURL: nil, authentication: .basic, namesIssuer: false)
}

extension OpenIDEndpoints {
    init(_ metadata: ProviderMetadata) {
        pageURL = try? metadata.address("authorization_endpoint")
        tokenURL = try? metadata.address("token_endpoint")
        // Basic authentication is the default (OpenID Connect Discovery 1.0, section 3).
        let methods = metadata.list("token_endpoint_auth_methods_supported")
        authentication = methods.map { $0.contains("client_secret_basic") } ?? true ? .basic : .post
        namesIssuer = metadata.isTrue("authorization_response_iss_parameter_supported")
    }
}

/// How a client proves itself at the token endpoint (OpenID Connect Core 1.0, section 9).
enum ClientAuthentication: Sendable, Equatable {
    case basic
    case post
}

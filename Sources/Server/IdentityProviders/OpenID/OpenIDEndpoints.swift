/// Where an OpenID provider lets users sign in and exchanges codes.
struct OpenIDEndpoints: Sendable, Equatable {
    var pageURL: String
    var tokenURL: String
    var authentication = ClientAuthentication.basic
    /// Whether each of its answers says who answers (RFC 9207).
    var namesIssuer = false
}

/// How a client proves itself at the token endpoint (OpenID Connect Core 1.0, section 9).
enum ClientAuthentication: Sendable, Equatable {
    case basic
    case post
}

extension OpenIDEndpoints {
    /// As the metadata of the issuer say.
    init(_ metadata: ProviderMetadata) throws(KeySetFault) {
        pageURL = try metadata.address("authorization_endpoint")
        tokenURL = try metadata.address("token_endpoint")
        // Basic authentication is the default (OpenID Connect Discovery 1.0, section 3).
        let methods = metadata.list("token_endpoint_auth_methods_supported") ?? ["client_secret_basic"]
        authentication = methods.contains("client_secret_basic") ? .basic : .post
        namesIssuer = metadata.isTrue("authorization_response_iss_parameter_supported")
    }

    /// As the settings say; nil unless they have both addresses.
    init?(of client: WebClient) {
        guard let pageURL = client.pageURL, let tokenURL = client.tokenURL else { return nil }
        self.init(pageURL: pageURL, tokenURL: tokenURL)
    }

    /// With the addresses that the settings have.
    func replaced(by client: WebClient) -> OpenIDEndpoints {
        var endpoints = self
        if let url = client.pageURL { endpoints.pageURL = url }
        if let url = client.tokenURL { endpoints.tokenURL = url }
        return endpoints
    }
}

import Gatehouse

/// What a login by QQ presents. A code counts more than an access token: the operator's key is needed to use it.
enum PresentedToQQ {
    case code(String, redirectURI: String)
    case accessToken(String)

    /// The length of today's tokens is 32.
    private static let longestAccessToken = 1024

    init(_ credential: IdentityCredential, by provider: Provider) throws(Refusal) {
        if let code = credential.code {
            guard let redirectURI = credential.redirectURI else { throw .missing(.redirectURI) }
            self = .code(code, redirectURI: redirectURI)
        } else {
            guard let token = credential.accessToken else { throw .missing(.code) }
            guard ProviderID.isPrintable(token, atMost: Self.longestAccessToken) else {
                throw .identity(.accessToken, by: provider)
            }
            self = .accessToken(token)
        }
    }
}

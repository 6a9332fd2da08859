import Gatehouse
import OpenSSL

/// What a login by QQ presents. A code counts more than an access token: the operator's key is needed to use it.
enum PresentedToQQ {
    case code(String, redirectURI: String)
    case accessToken(String)

    /// How long QQ accepts an access token: three months.
    private static let accessTokenLifetime = Duration.seconds(92 * 86_400)

    /// The client may not have got the answer to its access token.
    private static let accessTokenGrace = Duration.seconds(60)

    /// The code, which is spent before it is exchanged.
    var code: String? {
        if case .code(let code, _) = self { code } else { nil }
    }

    /// The single use of an access token.
    func redemption(by now: Timestamp) -> Redemption? {
        guard case .accessToken(let token) = self else { return nil }
        return Redemption(
            tokenHash: SHA256.hash("qq access token " + token.withLowerASCII), moment: now,
            grace: Self.accessTokenGrace, expiresAt: now + Self.accessTokenLifetime)
    }

    /// An access token may be three months old, so it does not prove that the user has signed in just now.
    func issuedAt(by now: Timestamp) -> Timestamp {
        switch self {
        case .code: now
        case .accessToken: Timestamp(seconds: 0)
        }
    }

    /// The length of today's tokens is 32.
    private static let longestAccessToken = 1024

    init(_ credential: IdentityCredential, by provider: Provider) throws(Refusal) {
        if let code = credential.code {
            guard let redirectURI = credential.redirectURI else { throw .missing(.redirectURI) }
            self = .code(code, redirectURI: redirectURI)
        } else {
            guard let token = credential.accessToken else { throw .missing(.codeOrAccessToken) }
            guard ProviderID.isPrintable(token, atMost: Self.longestAccessToken) else {
                throw .identity(.accessToken, by: provider)
            }
            self = .accessToken(token)
        }
    }
}

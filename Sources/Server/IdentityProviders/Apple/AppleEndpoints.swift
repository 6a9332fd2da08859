package import Curl
package import Gatehouse
package import JOSE
import JSON

/// Apple's token and revocation endpoints.
package struct AppleEndpoints: AppleServer {
    /// Sends a form and returns the answer, with any status: `HTTPClient.post`, or a substitute in tests.
    package typealias Post = @Sendable (_ url: String, _ form: [(String, String)]) throws(HTTPFault) -> HTTPResponse

    private let addresses: AppleAddresses
    private let issuers: [String]
    private let secrets: ClientSecrets
    private let web: AppleWebClient?
    private let post: Post

    /// - Parameters:
    ///   - issuers: the accepted issuers of the identity token in an answer.
    ///   - web: the client with which browsers sign in; nil if they do not.
    package init(
        at addresses: AppleAddresses, issuers: [String], secrets: ClientSecrets, web: AppleWebClient? = nil,
        post: @escaping Post
    ) {
        self.addresses = addresses
        self.issuers = issuers
        self.secrets = secrets
        self.web = web
        self.post = post
    }

    package func exchange(code: String, for clientID: String, now: Timestamp) throws(AppleServerFault) -> AppleGrant {
        let answer = try send(
            [("grant_type", "authorization_code"), ("code", code)] + redirectURI(of: clientID), to: addresses.token,
            for: clientID, now: now)
        guard answer.status == 200 else { throw answer.fault }
        return try grant(in: answer, for: clientID)
    }

    package func revoke(refreshToken: String, of clientID: String, now: Timestamp) throws(AppleServerFault) {
        let answer = try send(
            [("token", refreshToken), ("token_type_hint", "refresh_token")], to: addresses.revocation, for: clientID,
            now: now)
        // `invalid_grant` means that Apple does not know the token any more: nothing is left to revoke.
        guard answer.status == 200 || answer.fault == .grantRefused else { throw answer.fault }
    }

    /// A code that Apple has sent to an address is exchanged with that address, and one that an app got without.
    private func redirectURI(of clientID: String) -> [(String, String)] {
        guard let web, web.id == clientID, let callback = web.callback else { return [] }
        return [("redirect_uri", callback)]
    }

    private func send(
        _ fields: [(String, String)], to url: String, for clientID: String, now: Timestamp
    ) throws(AppleServerFault) -> HTTPResponse {
        let secret: String
        do { secret = try secrets.secret(for: clientID, now: now) } catch {
            throw .unavailable("no client secret: \(error)")
        }
        do { return try post(url, [("client_id", clientID), ("client_secret", secret)] + fields) } catch {
            throw .unavailable(error.description)
        }
    }

    /// Checks issuer and audience of the identity token, but not its signature, because the token comes from Apple over
    /// TLS (OpenID Connect Core 1.0, section 3.1.3.7, number 6).
    private func grant(in answer: HTTPResponse, for clientID: String) throws(AppleServerFault) -> AppleGrant {
        let unreadable = AppleServerFault.unavailable("an answer without a usable grant")
        guard let object = answer.object, let refreshToken = object["refresh_token"]?.string, !refreshToken.isEmpty,
            let text = object["id_token"]?.string
        else { throw unreadable }
        do throws(IdentityFault) {
            let rules = TokenRules.apple(issuers: issuers, audiences: [clientID])
            let token = try SignedToken(text, rules: rules)
            _ = try token.audience(rules)
            guard let subject = token.claims["sub"]?.identifier else {
                throw .malformed(.unusable(.claims, member: "sub"))
            }
            return AppleGrant(subject: subject, refreshToken: refreshToken)
        } catch {
            throw unreadable
        }
    }
}

/// The URLs of Apple's endpoints for developers.
package struct AppleAddresses: Sendable, Equatable {
    package let token: String
    package let revocation: String
    package let migration: String

    package init(token: String, revocation: String, migration: String) {
        (self.token, self.revocation, self.migration) = (token, revocation, migration)
    }
}

extension HTTPResponse {
    /// The error codes with which Apple refuses this server's credentials, from RFC 6749, section 5.2 (documented by
    /// Apple), and RFC 7009, section 2.2.1. Faults contain no other text of an answer, because they are written to the
    /// log.
    static let credentialErrors = [
        "invalid_client", "invalid_request", "invalid_scope", "unauthorized_client", "unsupported_grant_type",
        "unsupported_token_type",
    ]

    /// The fault that an answer with an error status stands for.
    fileprivate var fault: AppleServerFault {
        let error = (400..<500).contains(status) && status != 429 ? object?["error"]?.string : nil
        guard let error else { return .unavailable("status \(status)") }
        if error == "invalid_grant" { return .grantRefused }
        guard let known = Self.credentialErrors.first(where: { $0 == error }) else {
            return .unavailable("status \(status)")
        }
        return .credentialsRefused(known)
    }

    var object: JSONObject? { (try? JSONValue(parsing: body))?.object }
}

/// Makes the client secrets that authenticate this server to Apple: JWTs signed with a key that the developer has
/// registered with Apple.
package struct ClientSecrets: Sendable {
    private static let audience = "https://appleid.apple.com"

    /// Apple's clock may be behind this server's.
    private static let leeway = Duration.seconds(60)
    /// Apple allows six months. A secret is made for one request and needs no more than this.
    private static let lifetime = Duration.seconds(300)

    private let teamID: String
    private let key: SigningKey

    /// - Parameter key: a P-256 key, with the key id that Apple has assigned.
    package init(teamID: String, key: SigningKey) {
        precondition(key.algorithm == .ES256, "Apple accepts only client secrets signed with ES256")
        (self.teamID, self.key) = (teamID, key)
    }

    /// - Parameter clientID: the bundle id or Services ID for which the request is made.
    package func secret(for clientID: String, now: Timestamp) throws(JOSEError) -> String {
        let claims: JSONObject = [
            "iss": .string(teamID), "iat": .integer((now - Self.leeway).seconds),
            "exp": .integer((now + Self.lifetime).seconds), "aud": .string(Self.audience), "sub": .string(clientID),
        ]
        return try CompactJWS.sign(payload: claims.bytes, with: key)
    }
}

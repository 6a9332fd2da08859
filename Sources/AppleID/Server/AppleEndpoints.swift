package import Gatehouse
import JOSE
import JSON

/// Apple's endpoints for developers, reached by whatever posts forms.
package struct AppleEndpoints: AppleServer {
    private let addresses: AppleAddresses
    private let issuers: [String]
    private let secrets: ClientSecrets
    private let post: FormPost

    /// - Parameter issuers: who may have made the identity token that comes with a grant.
    package init(
        at addresses: AppleAddresses, issuers: [String], secrets: ClientSecrets, post: @escaping FormPost
    ) {
        self.addresses = addresses
        self.issuers = issuers
        self.secrets = secrets
        self.post = post
    }

    package func exchange(code: String, for clientID: String, now: Timestamp) throws(AppleServerFault) -> AppleGrant {
        let answer = try ask(
            addresses.token, for: clientID, now: now, [("grant_type", "authorization_code"), ("code", code)])
        guard answer.status == 200 else { throw answer.fault }
        return try grant(in: answer, for: clientID)
    }

    package func revoke(refreshToken: String, of clientID: String, now: Timestamp) throws(AppleServerFault) {
        let answer = try ask(
            addresses.revocation, for: clientID, now: now,
            [("token", refreshToken), ("token_type_hint", "refresh_token")])
        // A token that Apple does not know any more is revoked as well as can be.
        guard answer.status == 200 || answer.fault == .grantRefused else { throw answer.fault }
    }

    private func ask(
        _ url: String, for clientID: String, now: Timestamp, _ fields: [(String, String)]
    ) throws(AppleServerFault) -> FormAnswer {
        let secret: String
        do { secret = try secrets.secret(for: clientID, now: now) } catch {
            throw .unavailable("no client secret: \(error)")
        }
        do { return try post(url, [("client_id", clientID), ("client_secret", secret)] + fields) } catch {
            throw .unavailable(error.reason)
        }
    }

    /// The signature of this identity token need not be looked at: it comes over TLS from Apple itself (OpenID Connect
    /// Core 1.0, section 3.1.3.7, number 6). Whose it is and whom it is for, it has to say.
    private func grant(in answer: FormAnswer, for clientID: String) throws(AppleServerFault) -> AppleGrant {
        let unreadable = AppleServerFault.unavailable("an answer without a usable grant")
        guard let object = answer.object, let refreshToken = object["refresh_token"]?.string, !refreshToken.isEmpty,
            let text = object["id_token"]?.string
        else { throw unreadable }
        do throws(AppleTokenFault) {
            let token = try AppleJWS(text)
            _ = try token.audience(IdentityTokenPolicy(issuers: issuers, audiences: [clientID]))
            guard let subject = token.claims["sub"]?.subject else { throw .malformed }
            return AppleGrant(subject: subject, refreshToken: refreshToken)
        } catch {
            throw unreadable
        }
    }
}

import JOSE
import JSON

/// The JSON Web Token with which a server shows Apple that it is the developer's.
struct ClientSecret {
    /// Six months in seconds, as Apple counts them.
    static let longestLife: Int64 = 15_777_000
    /// How far ahead the clock that signed may be.
    static let leeway: Int64 = 60

    let developer: DeveloperAccount

    func check(_ text: String, clientID: String, now: Int64) throws(OAuthError) {
        guard developer.clientIDs.contains(clientID) else { throw wrong("client_id is no app of the developer's") }
        let secret: CompactJWS
        do { secret = try CompactJWS(text) } catch { throw wrong("the client secret is no token: \(error)") }
        guard secret.algorithmName == "ES256" else { throw wrong("the client secret's alg is not ES256") }
        guard secret.keyID == developer.keyID else { throw wrong("the client secret's kid is not the key id") }
        // R and S side by side: what OpenSSL writes by itself (DER) is no signature of JOSE.
        do { try secret.verify(with: developer.key) } catch { throw wrong("the client secret's signature: \(error)") }
        try check(try claims(of: secret), clientID: clientID, now: now)
    }

    private func claims(of secret: CompactJWS) throws(OAuthError) -> JSONObject {
        do { return try secret.claims() } catch { throw wrong("the client secret's claims: \(error)") }
    }

    private func check(_ claims: JSONObject, clientID: String, now: Int64) throws(OAuthError) {
        guard claims["iss"]?.string == developer.teamID else { throw wrong("iss is not the team id") }
        guard claims["sub"]?.string == clientID else { throw wrong("sub is not the client_id") }
        guard claims["aud"]?.string == "https://appleid.apple.com" else {
            throw wrong("aud is not https://appleid.apple.com")
        }
        guard let issued = claims["iat"]?.integer, let expires = claims["exp"]?.integer else {
            throw wrong("iat or exp is missing")
        }
        guard issued <= now + Self.leeway else { throw wrong("iat is in the future") }
        guard expires > now else { throw wrong("the client secret has expired") }
        guard expires <= now + Self.longestLife else { throw wrong("exp is more than six months ahead") }
    }

    private func wrong(_ reason: String) -> OAuthError { OAuthError(.invalidClient, reason) }
}

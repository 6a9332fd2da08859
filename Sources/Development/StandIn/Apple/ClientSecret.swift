import JOSE
import JSON

/// Verifies the JWT with which a server of the developer authenticates to Apple.
struct ClientSecret {
    /// Six months in seconds, as Apple's documentation gives them.
    static let maximumLifetime: Int64 = 15_777_000
    /// How far the clock of the server may be ahead.
    static let leeway: Int64 = 60

    let developer: DeveloperAccount

    /// Returns the number of the team whose server it is, which the issuer tells.
    @discardableResult
    func check(_ text: String, clientID: String, now: Int64) throws(OAuthError) -> Int {
        guard developer.owns(clientID) else { throw wrong("client_id is not an app of the developer") }
        let secret: CompactJWS
        do { secret = try CompactJWS(text) } catch { throw wrong("the client secret is not a token: \(error)") }
        guard secret.algorithmName == "ES256" else { throw wrong("the client secret's alg is not ES256") }
        let number = try team(of: secret)
        let team = developer.teams[number]
        guard secret.keyID == team.keyID else { throw wrong("the client secret's kid is not the key id") }
        // JOSE signatures are R and S concatenated. DER, the form of OpenSSL, is refused.
        do { try secret.verify(with: team.key) } catch { throw wrong("the client secret's signature: \(error)") }
        try check(try claims(of: secret), of: team, clientID: clientID, now: now)
        return number
    }

    /// The issuer, before it is verified. The first team for an issuer that is none.
    private func team(of secret: CompactJWS) throws(OAuthError) -> Int {
        let issuer = try claims(of: secret)["iss"]?.string
        return developer.teams.firstIndex { $0.id == issuer } ?? 0
    }

    private func claims(of secret: CompactJWS) throws(OAuthError) -> JSONObject {
        do { return try secret.claims() } catch { throw wrong("the client secret's claims: \(error)") }
    }

    private func check(
        _ claims: JSONObject, of team: DeveloperTeam, clientID: String, now: Int64
    ) throws(OAuthError) {
        guard claims["iss"]?.string == team.id else { throw wrong("iss is not the team id") }
        guard claims["sub"]?.string == clientID else { throw wrong("sub is not the client_id") }
        guard claims["aud"]?.string == "https://appleid.apple.com" else {
            throw wrong("aud is not https://appleid.apple.com")
        }
        guard let issued = claims["iat"]?.integer, let expires = claims["exp"]?.integer else {
            throw wrong("iat or exp is missing")
        }
        guard issued <= now + Self.leeway else { throw wrong("iat is in the future") }
        guard expires > now else { throw wrong("the client secret has expired") }
        guard expires <= now + Self.maximumLifetime else { throw wrong("exp is more than six months ahead") }
    }

    private func wrong(_ reason: String) -> OAuthError { OAuthError(.invalidClient, reason) }
}

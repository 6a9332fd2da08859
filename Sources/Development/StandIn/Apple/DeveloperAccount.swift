import FileSystem
package import JOSE
import JSON

/// The developers whom Apple knows: a team with one key for Sign in with Apple, its apps, and another team, to which these can be
/// transferred.
package struct DeveloperAccount: Sendable {
    package static let defaultTeamID = "FAKEAPPLE1"
    package static let defaultKeyID = "DEVELOPER1"
    package static let otherTeamID = "FAKEAPPLE2"
    package static let otherKeyID = "DEVELOPER2"

    package let teamID: String
    package let keyID: String
    /// Bundle ids, and any other ids whose tokens and codes are minted.
    package let clientIDs: [String]
    /// Services IDs, which stand for websites and apps on other systems, each with its return URLs. Apple's portal accepts neither
    /// `localhost` nor an IP address.
    package let services = WebClients()
    let key: VerificationKey
    let otherTeam: DeveloperTeam?

    /// - Parameter pem: the developer's private key for ES256. Only its public key is kept.
    package init(
        teamID: String, keyID: String, clientIDs: [String], pem: String, otherTeam: DeveloperTeam? = nil
    ) throws(JOSEError) {
        (self.teamID, self.keyID, self.clientIDs) = (teamID, keyID, clientIDs)
        key = try DeveloperTeam(id: teamID, keyID: keyID, pem: pem).key
        self.otherTeam = otherTeam
    }

    var teams: [DeveloperTeam] {
        [DeveloperTeam(id: teamID, keyID: keyID, key: key)] + [otherTeam].compactMap(\.self)
    }

    /// Whether it is the id of an app, or a Services ID.
    func owns(_ clientID: String) -> Bool { clientIDs.contains(clientID) || services[clientID] != nil }

    /// Reads the teams' keys from a folder, or creates them, with the file names of Apple's portal.
    ///
    /// - Parameter directory: nil to keep them nowhere.
    package init(
        in directory: String?, teamID: String = Self.defaultTeamID, keyID: String = Self.defaultKeyID,
        clientIDs: [String]
    ) throws {
        let other =
            if teamID == Self.otherTeamID || keyID == Self.otherKeyID { DeveloperTeam?.none } else {
                try DeveloperTeam(
                    id: Self.otherTeamID, keyID: Self.otherKeyID, pem: Self.pem(of: Self.otherKeyID, in: directory))
            }
        try self.init(
            teamID: teamID, keyID: keyID, clientIDs: clientIDs, pem: Self.pem(of: keyID, in: directory),
            otherTeam: other)
    }

    private static func pem(of keyID: String, in directory: String?) throws -> String {
        func newKey() throws -> String { try SigningKey.generate(.ES256).pem ?? "" }
        guard let directory else { return try newKey() }
        try File.makeDirectory(directory)
        let path = directory + "/AuthKey_\(keyID).p8"
        if !File.exists(path) { _ = try File.create(path, with: Array(try newKey().utf8)) }
        return String(decoding: try File.read(path), as: UTF8.self)
    }
}

/// A developer team, with its key for Sign in with Apple.
package struct DeveloperTeam: Sendable {
    package let id: String
    package let keyID: String
    let key: VerificationKey

    init(id: String, keyID: String, key: VerificationKey) {
        (self.id, self.keyID, self.key) = (id, keyID, key)
    }

    init(id: String, keyID: String, pem: String) throws(JOSEError) {
        self.init(id: id, keyID: keyID, key: try SigningKey(pem: pem, keyID: keyID).verificationKey)
        guard key.algorithm == .ES256 else { throw .unusableKey("the developer's key must be for ES256") }
    }
}

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

    private func wrong(_ reason: String) -> OAuthError { .client(reason) }
}

import FileSystem
package import JOSE

/// The developers of the fake: a team with one key for Sign in with Apple, its apps, and another team, to which these can be
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
    package let services = ServicesIDs()
    let key: VerificationKey
    let otherTeam: DeveloperTeam?

    /// - Parameter pem: the developer's private key for ES256. Only its public key is kept.
    package init(
        teamID: String, keyID: String, clientIDs: [String], pem: String, otherTeam: DeveloperTeam? = nil
    ) throws(JOSEError) {
        self.teamID = teamID
        self.keyID = keyID
        self.clientIDs = clientIDs
        key = try DeveloperTeam(id: teamID, keyID: keyID, pem: pem).key
        self.otherTeam = otherTeam
    }

    var teams: [DeveloperTeam] {
        [DeveloperTeam(id: teamID, keyID: keyID, key: key)] + [otherTeam].compactMap(\.self)
    }

    /// Whether it is the id of an app, or a Services ID.
    func owns(_ clientID: String) -> Bool { clientIDs.contains(clientID) || services.contains(clientID) }

    /// Reads the teams' keys from a folder, or creates them, with the file names of Apple's portal.
    package init(
        in directory: String, teamID: String = Self.defaultTeamID, keyID: String = Self.defaultKeyID,
        clientIDs: [String]
    ) throws {
        try File.makeDirectory(directory)
        let other =
            if teamID == Self.otherTeamID || keyID == Self.otherKeyID { DeveloperTeam?.none } else {
                try DeveloperTeam(
                    id: Self.otherTeamID, keyID: Self.otherKeyID, pem: Self.pem(of: Self.otherKeyID, in: directory))
            }
        try self.init(
            teamID: teamID, keyID: keyID, clientIDs: clientIDs, pem: Self.pem(of: keyID, in: directory),
            otherTeam: other)
    }

    private static func pem(of keyID: String, in directory: String) throws -> String {
        let path = directory + "/AuthKey_\(keyID).p8"
        if !File.exists(path) {
            _ = try File.create(path, with: Array((try SigningKey.generate(.ES256).pem ?? "").utf8))
        }
        return String(decoding: try File.read(path), as: UTF8.self)
    }
}

/// A developer team, with its key for Sign in with Apple.
package struct DeveloperTeam: Sendable {
    package let id: String
    package let keyID: String
    let key: VerificationKey

    init(id: String, keyID: String, key: VerificationKey) {
        self.id = id
        self.keyID = keyID
        self.key = key
    }

    init(id: String, keyID: String, pem: String) throws(JOSEError) {
        self.init(id: id, keyID: keyID, key: try SigningKey(pem: pem, keyID: keyID).verificationKey)
        guard key.algorithm == .ES256 else { throw .unusableKey("the developer's key must be for ES256") }
    }
}

import FileSystem
package import JOSE

/// The developer account of the fake: a team with one key for Sign in with Apple, and its apps.
package struct DeveloperAccount: Sendable {
    package static let defaultTeamID = "FAKEAPPLE1"
    package static let defaultKeyID = "DEVELOPER1"

    package let teamID: String
    package let keyID: String
    /// Bundle ids, and any other ids whose tokens and codes are minted.
    package let clientIDs: [String]
    package let services = ServicesIDs()
    let key: VerificationKey

    /// - Parameter pem: the developer's private key for ES256. Only its public key is kept.
    package init(teamID: String, keyID: String, clientIDs: [String], pem: String) throws(JOSEError) {
        self.teamID = teamID
        self.keyID = keyID
        self.clientIDs = clientIDs
        key = try SigningKey(pem: pem, keyID: keyID).verificationKey
        guard key.algorithm == .ES256 else { throw .unusableKey("the developer's key must be for ES256") }
    }

    /// Whether it is the id of an app, or a Services ID.
    func owns(_ clientID: String) -> Bool { clientIDs.contains(clientID) || services.contains(clientID) }

    /// Reads the developer's key from a folder, or creates it, with the file name of Apple's portal.
    package init(
        in directory: String, teamID: String = Self.defaultTeamID, keyID: String = Self.defaultKeyID,
        clientIDs: [String]
    ) throws {
        let path = directory + "/AuthKey_\(keyID).p8"
        try File.makeDirectory(directory)
        if !File.exists(path) {
            _ = try File.create(path, with: Array((try SigningKey.generate(.ES256).pem ?? "").utf8))
        }
        let pem = String(decoding: try File.read(path), as: UTF8.self)
        try self.init(teamID: teamID, keyID: keyID, clientIDs: clientIDs, pem: pem)
    }
}

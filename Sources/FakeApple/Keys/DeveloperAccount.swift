package import JOSE
import POSIX

/// The developer whom the fake Apple knows: a team with one key for Sign in with Apple, and the apps of that team.
package struct DeveloperAccount: Sendable {
    package static let defaultTeamID = "FAKEAPPLE1"
    package static let defaultKeyID = "DEVELOPER1"

    package let teamID: String
    package let keyID: String
    /// Bundle ids and Services IDs.
    package let clientIDs: [String]
    let key: VerificationKey

    /// - Parameter pem: the developer's private key for ES256, of which only the public half is kept.
    package init(teamID: String, keyID: String, clientIDs: [String], pem: String) throws(JOSEError) {
        self.teamID = teamID
        self.keyID = keyID
        self.clientIDs = clientIDs
        key = try SigningKey(pem: pem, keyID: keyID).verificationKey
        guard key.algorithm == .ES256 else { throw .unusableKey("a developer's key is one for ES256") }
    }

    /// Reads the developer's key of a folder, and makes one where there is none, as Apple's portal names the file.
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

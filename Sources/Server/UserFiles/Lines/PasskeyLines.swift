import Gatehouse
import JOSE
import JSON
import Text
import WebAuthn

/// A passkey of a line, as far as it could be read.
struct ReadPasskey {
    /// Nil for one without an id and a key.
    private(set) var line: PasskeyLine?
    private(set) var faults: [LineFault]
    let hasUnknownMembers: Bool

    init(_ object: JSONObject, _ place: String) {
        var members = MemberReader(object, place: place)
        let credentialID = members.bytes("credentialId", atMost: 1023)
        let publicKey = members.bytes("publicKey", atMost: 4096)
        var algorithm: PasskeyAlgorithm?
        if let publicKey {
            algorithm = try? PasskeyAlgorithm(ofPublicKey: publicKey)
            if algorithm == nil {
                members.reject("publicKey", "must be a COSE_Key of ES256, EdDSA or RS256, in base64 or base64url")
            }
        }
        // What an export has beside the key that says the same.
        _ = members.has("algorithm")
        let count = members.value("signCount")
        if let count, count.integer == nil { members.reject("signCount", "must be a number") }
        let transports = members.value("transports")?.array?.compactMap(\.string) ?? []
        let (eligible, backedUp) = (members.flag("backupEligible"), members.flag("backedUp"))
        let aaguid = members.has("aaguid") ? members.bytes("aaguid", atMost: 16) : nil
        let (name, created) = (members.text("name"), members.text("createdAt"))
        let lastUsed = members.text("lastUsedAt")
        (faults, hasUnknownMembers) = (members.faults, members.hasUnknownMembers)
        guard let credentialID, let publicKey, let algorithm else { return }
        var line = PasskeyLine(credentialID: credentialID, publicKey: publicKey, algorithm: algorithm.rawValue)
        (line.signCount, line.transports) = (count?.integer, transports.filter(PasskeyText.isTransport))
        (line.backupEligible, line.backedUp, line.aaguid) = (eligible, backedUp, aaguid ?? [])
        (line.name, line.createdAt, line.lastUsedAt) = (name, created, lastUsed)
        self.line = line
    }
}

extension PasskeyLine {
    init(_ passkey: Passkey) {
        self.init(
            credentialID: passkey.credentialID, publicKey: passkey.publicKey, algorithm: passkey.algorithm)
        (signCount, transports) = (passkey.signCount, passkey.transports)
        (backupEligible, backedUp, aaguid) = (passkey.isBackupEligible, passkey.isBackedUp, passkey.aaguid)
        (name, createdAt) = (passkey.name, passkey.createdAt.description)
        lastUsedAt = passkey.lastUsedAt?.description
    }

    func write(to json: inout JSONObjectWriter) {
        json.put("credentialId", PasskeyText.text(of: credentialID))
        json.put("publicKey", PasskeyText.text(of: publicKey))
        json.member("algorithm", algorithm)
        if let signCount { json.member("signCount", signCount) }
        json.member("transports", .array(transports.map(JSONValue.string)))
        json.put("backupEligible", backupEligible)
        json.put("backedUp", backedUp)
        if !aaguid.isEmpty { json.put("aaguid", PasskeyText.text(of: aaguid)) }
        json.put("name", name)
        json.put("createdAt", createdAt)
        json.put("lastUsedAt", lastUsedAt)
    }
}

/// Bytes as products write them: in base64url, or in base64 with or without padding.
enum PasskeyText {
    static func text(of bytes: [UInt8]) -> String { Base64URL.encode(bytes) }

    static func bytes(_ text: String, atMost limit: Int) -> [UInt8]? {
        let padding = text.utf8.reversed().prefix { $0 == UInt8(ascii: "=") }.count
        let characters = String(text.dropLast(padding))
        let bytes = Base64URL.decode(characters.replacing("+", with: "-").replacing("/", with: "_"))
        return bytes.flatMap { (1...limit).contains($0.count) ? $0 : nil }
    }

    static func fault(atMost limit: Int) -> String { "must be 1 to \(limit) bytes in base64url or base64" }

    static func isTransport(_ text: String) -> Bool {
        (1...32).contains(text.utf8.count)
            && text.utf8.allSatisfy { $0 == 0x2D || $0.isDigit || $0.isLowercaseLetter }
    }
}

extension MemberReader {
    fileprivate mutating func bytes(_ name: String, atMost limit: Int) -> [UInt8]? {
        let bytes = text(name).flatMap { PasskeyText.bytes($0, atMost: limit) }
        if bytes == nil { reject(name, PasskeyText.fault(atMost: limit)) }
        return bytes
    }
}

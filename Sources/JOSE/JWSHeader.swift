import JSON

/// The header of a token, validated before a key is selected.
struct JWSHeader {
    let members: JSONObjectReader
    let algorithmName: String
    let keyID: String?
    let type: String?

    /// Members that change what is signed, or that a reader must understand. None of them is supported, so a token
    /// with one is rejected. Members that contain or name a key (`jwk`, `jku`, `x5u`, `x5c`) are ignored: keys
    /// come from the configuration.
    private static let refusedMembers = ["crit", "b64", "zip"]

    init(encoded: Span<UInt8>) throws(JOSEError) {
        guard let bytes = Base64URL.decode(encoded) else { throw .malformed("header is not base64url") }
        guard let members = try? JSONObjectReader(parsing: bytes) else {
            throw .malformed("header is not a JSON object without duplicate members")
        }
        for name in Self.refusedMembers where members[name] != nil { throw .malformed("header has \(name)") }
        guard let algorithmName = members["alg"]?.string else { throw .malformed("header has no alg") }
        self.members = members
        self.algorithmName = algorithmName
        keyID = try Self.text(members["kid"], or: "kid is not a string")
        type = try Self.text(members["typ"], or: "typ is not a string")
        if let keyID, !KeyID.isAcceptable(keyID) { throw .malformed("kid is not acceptable") }
    }

    private static func text(_ member: JSONValue?, or reason: String) throws(JOSEError) -> String? {
        guard let member else { return nil }
        guard let text = member.string else { throw .malformed(reason) }
        return text
    }
}

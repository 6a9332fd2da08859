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

    init(encoded: Span<UInt8>) throws(MalformedJWS) {
        guard let bytes = Base64URL.decode(encoded) else { throw .encoding(.header) }
        let members = try JSONObjectReader(bytes, of: .header)
        for name in Self.refusedMembers where members[name] != nil { throw .unsupported(member: name) }
        guard let algorithmName = members["alg"]?.string else { throw .header(member: "alg") }
        self.members = members
        self.algorithmName = algorithmName
        keyID = try Self.text("kid", in: members)
        type = try Self.text("typ", in: members)
        if let keyID, !KeyID.isAcceptable(keyID) { throw .header(member: "kid") }
    }

    private static func text(_ name: String, in members: JSONObjectReader) throws(MalformedJWS) -> String? {
        guard let member = members[name] else { return nil }
        guard let text = member.string else { throw .header(member: name) }
        return text
    }
}

extension JSONObjectReader {
    /// The members of a part of a token.
    init(_ bytes: [UInt8], of part: MalformedJWS.Part) throws(MalformedJWS) {
        let reader: JSONObjectReader?
        do { reader = try JSONObjectReader(parsing: bytes) } catch { throw .content(part, error) }
        guard let reader else { throw .content(part, nil) }
        self = reader
    }
}

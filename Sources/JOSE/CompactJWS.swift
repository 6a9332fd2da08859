package import JSON

/// A signed token in the compact serialisation of RFC 7515, taken apart but not yet believed.
///
/// Nothing in it may be acted upon before ``verify(with:)`` has returned; until then header and payload are no more
/// than what some stranger wrote.
package struct CompactJWS: Sendable {
    package static let defaultMaximumBytes = 8192

    package let header: JSONObject

    /// What the header calls its algorithm; kept as text, for it may be anything.
    package let algorithmName: String
    package let keyID: String?
    package let type: String?
    package let payload: [UInt8]

    /// Empty for an unsigned token, which can be read and never be verified.
    package let signature: [UInt8]

    /// The bytes that the signature is over: the first two parts as they came, and the dot between them.
    package let signingInput: [UInt8]

    package init(_ token: String, maximumBytes: Int = CompactJWS.defaultMaximumBytes) throws(JOSEError) {
        guard token.utf8.count <= maximumBytes else { throw .malformed("longer than \(maximumBytes) bytes") }
        let bytes = Array(token.utf8)
        let dot = UInt8(ascii: ".")
        guard let first = bytes.firstIndex(of: dot), let last = bytes.lastIndex(of: dot), first < last else {
            throw .malformed("not three parts")
        }
        // A fourth part would leave a dot in the second, where it is no base64url.
        let fields = try JWSHeader(encoded: bytes.span.extracting(..<first))
        guard let payload = Base64URL.decode(bytes.span.extracting((first + 1)..<last)) else {
            throw .malformed("payload is not base64url")
        }
        guard let signature = Base64URL.decode(bytes.span.extracting((last + 1)...)) else {
            throw .malformed("signature is not base64url")
        }
        header = fields.members
        algorithmName = fields.algorithmName
        keyID = fields.keyID
        type = fields.type
        self.payload = payload
        self.signature = signature
        signingInput = Array(bytes[..<last])
    }

    /// Returns if `key` signed this token, and throws in every other case.
    package func verify(with key: VerificationKey) throws(JOSEError) {
        guard algorithmName.isIdentical(to: key.algorithm.rawValue) else { throw .algorithm }
        if let named = keyID, let known = key.keyID, !named.isIdentical(to: known) { throw .unknownKey }
        guard !signature.isEmpty, key.isValid(signature: signature, for: signingInput) else { throw .signature }
    }

    /// The payload of a JSON Web Token: one object, no member twice.
    package func claims() throws(JOSEError) -> JSONObject {
        guard let claims = try? JSONValue(parsing: payload).object else {
            throw .malformed("payload is not a JSON object without duplicate members")
        }
        return claims
    }
}

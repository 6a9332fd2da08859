package import JSON
import OpenSSL

/// A signed token in the compact serialisation of RFC 7515, taken apart but not yet believed.
///
/// Nothing in it may be acted upon before ``verify(with:)`` has returned; until then header and payload are no more
/// than what some stranger wrote.
package struct CompactJWS: Sendable {
    package static let defaultMaximumBytes = 8192

    /// What the header calls its algorithm; kept as text, for it may be anything.
    package let algorithmName: String
    package let keyID: String?
    package let type: String?
    package let payload: [UInt8]

    /// Empty for an unsigned token, which can be read and never be verified.
    package let signature: [UInt8]

    /// SHA-256 of ``signingInput``. It is what most algorithms sign, and a name for what was signed.
    package let signingHash: [UInt8]

    private let token: String
    private let signingByteCount: Int
    private let headerMembers: JSONObjectReader

    package init(_ token: String, maximumBytes: Int = CompactJWS.defaultMaximumBytes) throws(JOSEError) {
        let bytes = token.utf8.span
        guard bytes.count <= maximumBytes else { throw .malformed("longer than \(maximumBytes) bytes") }
        let dot = UInt8(ascii: ".")
        guard let first = bytes.firstIndex(of: dot), let last = bytes.lastIndex(of: dot), first < last else {
            throw .malformed("not three parts")
        }
        // A fourth part would leave a dot in the second, where it is no base64url.
        let header = try JWSHeader(encoded: bytes.extracting(..<first))
        guard let payload = Base64URL.decode(bytes.extracting((first + 1)..<last)) else {
            throw .malformed("payload is not base64url")
        }
        guard let signature = Base64URL.decode(bytes.extracting((last + 1)...)) else {
            throw .malformed("signature is not base64url")
        }
        headerMembers = header.members
        algorithmName = header.algorithmName
        keyID = header.keyID
        type = header.type
        self.payload = payload
        self.signature = signature
        signingHash = SHA256.hash(bytes.extracting(..<last))
        self.token = token
        signingByteCount = last
    }

    package var header: JSONObject { headerMembers.object }

    /// The bytes that the signature is over: the first two parts as they came, and the dot between them.
    package var signingInput: [UInt8] { Array(copying: token.utf8.span.extracting(first: signingByteCount)) }

    /// Returns if `key` signed this token, and throws in every other case.
    package func verify(with key: VerificationKey) throws(JOSEError) {
        guard algorithmName.isIdentical(to: key.algorithm.rawValue) else { throw .algorithm }
        if let named = keyID, let known = key.keyID, !named.isIdentical(to: known) { throw .unknownKey }
        let input = token.utf8.span.extracting(first: signingByteCount)
        guard !signature.isEmpty, key.isValid(signature: signature, for: input, hashedAs: signingHash) else {
            throw .signature
        }
    }

    /// The payload of a JSON Web Token: one object, no member twice.
    package func claims() throws(JOSEError) -> JSONObject { try claimReader().object }

    /// The same, for whoever asks for some of it.
    package func claimReader() throws(JOSEError) -> JSONObjectReader {
        guard let claims = try? JSONObjectReader(parsing: payload) else {
            throw .malformed("payload is not a JSON object without duplicate members")
        }
        return claims
    }
}

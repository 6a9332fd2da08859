import JSON

/// Verifies the tokens of ``TokenSigner``: tokens of one type, signed with one of a few keys.
///
/// ``TokenSigner`` writes the same header for every token of a key. So the header is compared with the
/// known ones and never parsed.
package struct TokenVerifier: Sendable {
    private static let longestToken = 4096

    /// The encoded headers, each with its dot and its key.
    private let known: [(head: [UInt8], key: VerificationKey)]

    /// - Parameter type: The required value of `typ`.
    package init(keys: [SigningKey], type: String) {
        known = keys.map { (TokenSigner.head(of: $0, type: type), $0.verificationKey) }
    }

    /// The payload of a token with a valid signature; nil for any other token.
    package func payload(of token: Span<UInt8>) -> [UInt8]? {
        guard token.count <= Self.longestToken else { return nil }
        for (head, key) in known where token.starts(with: head.span) {
            return Self.payload(of: token, after: head.count, signedWith: key)
        }
        return nil
    }

    private static func payload(of token: Span<UInt8>, after head: Int, signedWith key: VerificationKey) -> [UInt8]? {
        guard let dot = token.lastIndex(of: UInt8(ascii: ".")), dot >= head,
            let signature = Base64URL.decode(token.extracting((dot + 1)...)),
            key.isValid(signature: signature, for: token.extracting(..<dot))
        else { return nil }
        // If the token had a fourth part, this range would contain a dot, which is not base64url.
        return Base64URL.decode(token.extracting(head..<dot))
    }
}

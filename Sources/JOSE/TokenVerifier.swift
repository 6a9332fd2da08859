import JSON

/// Reads what ``TokenSigner`` writes: tokens of one type, signed with one of a few keys.
///
/// A header of ours has one spelling for each key. So it is compared, and never parsed: nothing that a stranger writes
/// there is ever looked at.
package struct TokenVerifier: Sendable {
    private static let longestToken = 4096

    /// The encoded header, with the dot behind it, and the key that it stands for.
    private let known: [(head: [UInt8], key: VerificationKey)]

    /// - Parameter type: What has to stand in `typ`.
    package init(keys: [SigningKey], type: String) {
        known = keys.map { (TokenSigner.head(of: $0, type: type), $0.verificationKey) }
    }

    /// The payload of a token that is genuine; nil for every other, without saying what was wrong with it.
    package func payload(of token: Span<UInt8>) -> [UInt8]? {
        guard token.count <= Self.longestToken else { return nil }
        for (head, key) in known where token.starts(with: head.span) {
            return Self.payload(of: token, behind: head.count, signedWith: key)
        }
        return nil
    }

    private static func payload(of token: Span<UInt8>, behind head: Int, signedWith key: VerificationKey) -> [UInt8]? {
        guard let dot = token.lastIndex(of: UInt8(ascii: ".")), dot >= head,
            let signature = Base64URL.decode(token.extracting((dot + 1)...)),
            key.isValid(signature: signature, for: token.extracting(..<dot))
        else { return nil }
        // A fourth part would have left a dot in here, where it is no base64url.
        return Base64URL.decode(token.extracting(head..<dot))
    }
}

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
        known = keys.map { key in
            (TokenSigner.encodedHeader(of: key, type: type) + [UInt8(ascii: ".")], key.verificationKey)
        }
    }

    /// The payload of a token that is genuine; nil for every other, without saying what was wrong with it.
    package func payload(of token: String) -> [UInt8]? {
        guard token.utf8.count <= Self.longestToken else { return nil }
        let token = Array(token.utf8)
        guard let (head, key) = known.first(where: { token.starts(with: $0.head) }),
            let dot = token.lastIndex(of: UInt8(ascii: ".")), dot >= head.count,
            let signature = Base64URL.decode(token[(dot + 1)...]),
            key.isValid(signature: signature, for: Array(token[..<dot]))
        else { return nil }
        // A fourth part would have left a dot in here, where it is no base64url.
        return Base64URL.decode(token[head.count..<dot])
    }
}

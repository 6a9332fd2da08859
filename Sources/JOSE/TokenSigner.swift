import JSON

/// Signs payloads with one key and one header, which is encoded only once.
package struct TokenSigner: Sendable {
    package let key: SigningKey
    private let head: [UInt8]

    /// - Parameter type: The value of `typ`, such as `at+jwt`.
    package init(key: SigningKey, type: String?) {
        self.key = key
        head = Self.head(of: key, type: type)
    }

    /// The encoded header, followed by a dot.
    static func head(of key: SigningKey, type: String?) -> [UInt8] {
        var header: JSONObject = ["alg": .string(key.algorithm.rawValue)]
        header["kid"] = key.keyID.map { .string($0) }
        header["typ"] = type.map { .string($0) }
        return CompactJWS.head(header)
    }

    /// Signs a payload.
    ///
    /// Signing with a valid key fails only if the process has no memory or no random bytes. It cannot continue then, so
    /// this ends the process instead of throwing.
    package func token(for payload: [UInt8]) -> String {
        do {
            return try CompactJWS.sign(payload: payload, head: head, with: key)
        } catch {
            fatalError(error.description)
        }
    }
}

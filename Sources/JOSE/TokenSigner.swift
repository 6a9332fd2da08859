import JSON

/// Signs many payloads with one key under one header, which is encoded only once.
package struct TokenSigner: Sendable {
    package let key: SigningKey
    private let head: [UInt8]

    /// - Parameter type: What stands in `typ`, such as `at+jwt`.
    package init(key: SigningKey, type: String?) {
        self.key = key
        head = Self.head(of: key, type: type)
    }

    /// What every such token begins with: the encoded header, and the dot behind it.
    static func head(of key: SigningKey, type: String?) -> [UInt8] {
        var header: JSONObject = ["alg": .string(key.algorithm.rawValue)]
        header["kid"] = key.keyID.map { .string($0) }
        header["typ"] = type.map { .string($0) }
        return CompactJWS.head(header)
    }

    /// The token for a payload.
    ///
    /// A key that was read or generated without an error signs whatever it is given; only a process without memory or
    /// randomness fails to, and such a process must not go on. So this ends it rather than throwing.
    package func token(for payload: [UInt8]) -> String {
        do {
            return try CompactJWS.sign(payload: payload, head: head, with: key)
        } catch {
            fatalError(error.description)
        }
    }
}

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

extension Span<UInt8> {
    func starts(with start: Span<UInt8>) -> Bool {
        count >= start.count && extracting(first: start.count).isIdentical(to: start)
    }

    func firstIndex(of byte: UInt8) -> Int? {
        var index = 0
        while index < count, self[index] != byte { index += 1 }
        return index < count ? index : nil
    }

    /// Skips blocks of `stride` bytes from the end, because the last part of a token may be long.
    func lastIndex(of byte: UInt8) -> Int? {
        var end = count
        while end >= Self.stride, !extracting((end - Self.stride)..<end).has(byte) { end -= Self.stride }
        var index = end - 1
        while index >= 0, self[index] != byte { index -= 1 }
        return index >= 0 ? index : nil
    }

    private static var stride: Int { 16 }

    /// A loop of constant length without an early exit, which the compiler vectorises.
    @inline(__always)
    private func has(_ byte: UInt8) -> Bool {
        var found: UInt8 = 0
        for index in 0..<Self.stride { found |= self[index] == byte ? 1 : 0 }
        return found != 0
    }
}

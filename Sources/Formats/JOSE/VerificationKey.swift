package import OpenSSL

/// A key that verifies signatures of one algorithm.
///
/// The algorithm is part of the key. If it were taken from the header, the author of a token could choose it: use an
/// RSA public key as an HMAC secret, or omit the signature.
package struct VerificationKey: Sendable {
    /// RFC 7518, section 3.2: a secret must be at least as long as the hash.
    package static let minimumSecretByteCount = 32

    private enum Material: Sendable {
        case hmac(HMACSHA256Key)
        case rsa(RSAPublicKey)
        case p256(P256PublicKey)
        case ed25519(Ed25519PublicKey)
    }

    package let keyID: String?
    private let material: Material

    package init(hmacSecret secret: [UInt8], keyID: String?) throws(JOSEError) {
        guard secret.count >= Self.minimumSecretByteCount else {
            throw .unusableKey(
                "the secret has \(secret.count) bytes, and needs at least \(Self.minimumSecretByteCount)")
        }
        self.init(HMACSHA256Key(secret), keyID: keyID)
    }

    init(_ key: HMACSHA256Key, keyID: String?) {
        self.keyID = keyID
        material = .hmac(key)
    }

    package init(_ key: RSAPublicKey, keyID: String?) {
        self.keyID = keyID
        material = .rsa(key)
    }

    package init(_ key: P256PublicKey, keyID: String?) {
        self.keyID = keyID
        material = .p256(key)
    }

    package init(_ key: Ed25519PublicKey, keyID: String?) {
        self.keyID = keyID
        material = .ed25519(key)
    }

    package var algorithm: Algorithm {
        switch material {
        case .hmac: .HS256
        case .rsa: .RS256
        case .p256: .ES256
        case .ed25519: .EdDSA
        }
    }

    package func isValid(signature: [UInt8], for signingInput: [UInt8]) -> Bool {
        switch material {
        case .hmac(let key): key.isValid(tag: signature, for: signingInput)
        case .rsa(let key): key.isValidPKCS1SHA256Signature(signature, for: signingInput)
        case .p256(let key): key.isValid(signature: signature, for: signingInput)
        case .ed25519(let key): key.isValid(signature: signature, for: signingInput)
        }
    }

    /// As `isValid(signature:for:)`, with the SHA-256 hash of the signed bytes, which is then not computed again.
    func isValid(signature: [UInt8], for signingInput: Span<UInt8>, hashedAs hash: [UInt8]) -> Bool {
        switch material {
        case .rsa(let key): key.isValidPKCS1SHA256Signature(signature, ofHash: hash)
        case .p256(let key): key.isValid(signature: signature, ofHash: hash)
        case .hmac, .ed25519: isValid(signature: signature, for: signingInput)
        }
    }

    /// As `isValid(signature:for:)`, for borrowed bytes. They are copied for public-key algorithms, where the copy
    /// takes negligible time.
    package func isValid(signature: [UInt8], for signingInput: Span<UInt8>) -> Bool {
        if case .hmac(let key) = material { return key.isValid(tag: signature, for: signingInput) }
        return isValid(signature: signature, for: Array(copying: signingInput))
    }
}

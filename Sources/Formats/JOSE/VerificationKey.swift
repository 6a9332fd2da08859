package import JSON
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

extension VerificationKey {
    /// Reads a JSON Web Key (RFC 7517). Of a private key, only the public part is used.
    ///
    /// - Parameter allowingSymmetric: Whether to accept a secret (`oct`), which a published set of keys must not
    ///   contain.
    package init(jwk: JSONObject, allowingSymmetric: Bool = false) throws(JOSEError) {
        let keyID = try jwk.acceptableKeyID()
        try jwk.requireUseForVerifying()
        switch (jwk["kty"]?.string, jwk["crv"]?.string) {
        case ("RSA", _):
            try jwk.requireAlgorithm(.RS256)
            self.init(try jwk.rsaPublicKey(), keyID: keyID)
        case ("EC", "P-256"):
            try jwk.requireAlgorithm(.ES256)
            self.init(try jwk.p256PublicKey(), keyID: keyID)
        case ("OKP", "Ed25519"):
            try jwk.requireAlgorithm(.EdDSA)
            self.init(try jwk.ed25519PublicKey(), keyID: keyID)
        case ("oct", _):
            guard allowingSymmetric else { throw .unusableKey("a symmetric key") }
            try jwk.requireAlgorithm(.HS256)
            try self.init(hmacSecret: jwk.octets("k"), keyID: keyID)
        default:
            throw .unusableKey("it is neither RSA, EC with P-256 nor OKP with Ed25519")
        }
    }
}

extension JSONObject {
    fileprivate func acceptableKeyID() throws(JOSEError) -> String? {
        guard let member = self["kid"] else { return nil }
        guard let keyID = member.string, KeyID.isAcceptable(keyID) else {
            throw .unusableKey("its kid is not acceptable")
        }
        return keyID
    }

    /// RFC 7517, sections 4.2 and 4.3: both members are optional. If they are present, they must permit verification.
    fileprivate func requireUseForVerifying() throws(JOSEError) {
        if let use = self["use"], use != "sig" { throw .unusableKey("its use is not sig") }
        guard let operations = self["key_ops"] else { return }
        guard operations.array?.contains("verify") == true else {
            throw .unusableKey("its key_ops do not include verify")
        }
    }

    fileprivate func requireAlgorithm(_ algorithm: Algorithm) throws(JOSEError) {
        guard let member = self["alg"] else { return }
        guard member.string == algorithm.rawValue else { throw .unusableKey("its alg is not \(algorithm.rawValue)") }
    }

    fileprivate func octets(_ name: String) throws(JOSEError) -> [UInt8] {
        guard let octets = self[name]?.string.flatMap({ Base64URL.decode($0) }) else {
            throw .unusableKey("member \(name) is missing or not base64url")
        }
        return octets
    }

    fileprivate func rsaPublicKey() throws(JOSEError) -> RSAPublicKey {
        let modulus = try octets("n")
        let exponent = try octets("e")
        return try JOSEError.unusable { () throws(KeyError) in try RSAPublicKey(modulus: modulus, exponent: exponent) }
    }

    fileprivate func p256PublicKey() throws(JOSEError) -> P256PublicKey {
        let x = try octets("x")
        let y = try octets("y")
        return try JOSEError.unusable { () throws(KeyError) in try P256PublicKey(x: x, y: y) }
    }

    fileprivate func ed25519PublicKey() throws(JOSEError) -> Ed25519PublicKey {
        let raw = try octets("x")
        return try JOSEError.unusable { () throws(KeyError) in try Ed25519PublicKey(raw: raw) }
    }
}

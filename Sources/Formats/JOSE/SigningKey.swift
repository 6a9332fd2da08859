package import JSON
package import OpenSSL

/// A key that signs with one algorithm, with the key id of its verification key.
package struct SigningKey: Sendable {
    enum Material: Sendable {
        case hmac(HMACSHA256Key)
        case rsa(RSAPrivateKey)
        case p256(P256PrivateKey)
        case ed25519(Ed25519PrivateKey)
    }

    package let keyID: String?

    /// The JWK thumbprint (RFC 7638). For an HMAC secret it reveals no more than a signed token does.
    package let thumbprint: String

    /// The key that verifies the signatures, with the same key id.
    package let verificationKey: VerificationKey

    let material: Material

    /// - Parameter keyID: the thumbprint if nil.
    package init(hmacSecret secret: [UInt8], keyID: String? = nil) throws(JOSEError) {
        let oct: JSONObject = ["kty": "oct", "k": .string(Base64URL.encode(secret))]
        thumbprint = try JWKThumbprint.compute(of: oct)
        self.keyID = try Self.name(keyID, or: thumbprint)
        verificationKey = try VerificationKey(hmacSecret: secret, keyID: self.keyID)
        material = .hmac(HMACSHA256Key(secret))
    }

    package init(_ key: RSAPrivateKey, keyID: String? = nil) throws(JOSEError) {
        thumbprint = try JWKThumbprint.compute(of: key.publicJWK)
        self.keyID = try Self.name(keyID, or: thumbprint)
        verificationKey = VerificationKey(key.publicKey, keyID: self.keyID)
        material = .rsa(key)
    }

    package init(_ key: P256PrivateKey, keyID: String? = nil) throws(JOSEError) {
        thumbprint = try JWKThumbprint.compute(of: key.publicJWK)
        self.keyID = try Self.name(keyID, or: thumbprint)
        verificationKey = VerificationKey(key.publicKey, keyID: self.keyID)
        material = .p256(key)
    }

    package init(_ key: Ed25519PrivateKey, keyID: String? = nil) throws(JOSEError) {
        thumbprint = try JWKThumbprint.compute(of: key.publicJWK)
        self.keyID = try Self.name(keyID, or: thumbprint)
        verificationKey = VerificationKey(key.publicKey, keyID: self.keyID)
        material = .ed25519(key)
    }

    /// Throws for a key id that the verification would reject.
    private static func name(_ keyID: String?, or thumbprint: String) throws(JOSEError) -> String {
        guard let keyID else { return thumbprint }
        guard KeyID.isAcceptable(keyID) else { throw .unusableKey("its kid is not acceptable") }
        return keyID
    }

    package var algorithm: Algorithm { verificationKey.algorithm }

    package func sign(_ signingInput: [UInt8]) throws(JOSEError) -> [UInt8] {
        do throws(OpenSSLError) {
            return switch material {
            case .hmac(let key): key.authenticate(signingInput)
            case .rsa(let key): try key.sign(signingInput)
            case .p256(let key): try key.sign(signingInput)
            case .ed25519(let key): try key.sign(signingInput)
            }
        } catch {
            throw .signing(error.description)
        }
    }
}

extension SigningKey {
    /// Reads an RSA, P-256 or Ed25519 private key. The type of the key determines the algorithm.
    package init(pem: String, keyID: String? = nil) throws(JOSEError) {
        switch try JOSEError.unusable({ () throws(KeyError) in try PrivateKeyPEM(pem) }) {
        case .rsa(let key): try self.init(key, keyID: keyID)
        case .p256(let key): try self.init(key, keyID: keyID)
        case .ed25519(let key): try self.init(key, keyID: keyID)
        }
    }

    package static func generate(_ algorithm: Algorithm, keyID: String? = nil) throws(JOSEError) -> SigningKey {
        switch algorithm {
        case .HS256:
            try SigningKey(hmacSecret: SecureRandom.bytes(VerificationKey.minimumSecretByteCount), keyID: keyID)
        case .RS256:
            try SigningKey(JOSEError.unusable { () throws(KeyError) in try RSAPrivateKey.generate() }, keyID: keyID)
        case .ES256:
            try SigningKey(JOSEError.unusable { () throws(KeyError) in try P256PrivateKey.generate() }, keyID: keyID)
        case .EdDSA:
            try SigningKey(JOSEError.unusable { () throws(KeyError) in try Ed25519PrivateKey.generate() }, keyID: keyID)
        }
    }

    /// PKCS #8, not encrypted; nil for an HMAC secret.
    package var pem: String? {
        switch material {
        case .hmac: nil
        case .rsa(let key): key.pem
        case .p256(let key): key.pem
        case .ed25519(let key): key.pem
        }
    }

    /// The public key, for publishing; nil for an HMAC secret, which must not be published.
    package var publicJWK: JSONObject? {
        guard var jwk = jwkWithoutMetadata else { return nil }
        jwk["alg"] = .string(algorithm.rawValue)
        jwk["use"] = "sig"
        jwk["kid"] = keyID.map { .string($0) }
        return jwk
    }

    private var jwkWithoutMetadata: JSONObject? {
        switch material {
        case .hmac: nil
        case .rsa(let key): key.publicJWK
        case .p256(let key): key.publicJWK
        case .ed25519(let key): key.publicJWK
        }
    }
}

extension RSAPrivateKey {
    var publicJWK: JSONObject {
        ["kty": "RSA", "n": .string(Base64URL.encode(modulus)), "e": .string(Base64URL.encode(exponent))]
    }
}

extension P256PrivateKey {
    var publicJWK: JSONObject {
        [
            "kty": "EC", "crv": "P-256", "x": .string(Base64URL.encode(publicKey.x)),
            "y": .string(Base64URL.encode(publicKey.y)),
        ]
    }
}

extension Ed25519PrivateKey {
    var publicJWK: JSONObject {
        ["kty": "OKP", "crv": "Ed25519", "x": .string(Base64URL.encode(publicKey.raw))]
    }
}

/// The supported signature algorithms of RFC 7518 and RFC 8037. `none` is not supported.
///
/// The cases have the exact names of the RFCs, which are compared with `alg`.
// swift-format-ignore: AlwaysUseLowerCamelCase
package enum Algorithm: String, Sendable, CaseIterable {
    case HS256
    case RS256
    case ES256
    case EdDSA
}

package import JSON
import OpenSSL

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

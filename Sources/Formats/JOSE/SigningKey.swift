import JSON
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

internal import COpenSSL

/// An RSA key pair that signs with RSASSA-PKCS1-v1_5 and SHA-256 (RS256).
package struct RSAPrivateKey: Sendable {
    let handle: KeyHandle
    package let publicKey: RSAPublicKey
    package let modulus: [UInt8]
    package let exponent: [UInt8]

    init(_ handle: KeyHandle) throws(KeyError) {
        self.handle = handle
        do throws(OpenSSLError) {
            modulus = try handle.number(OSSL_PKEY_PARAM_RSA_N).bytes
            exponent = try handle.number(OSSL_PKEY_PARAM_RSA_E).bytes
        } catch {
            throw .failed(error)
        }
        publicKey = try RSAPublicKey(modulus: modulus, exponent: exponent)
    }

    package static func generate(bits: Int = 2048) throws(KeyError) -> RSAPrivateKey {
        guard RSAPublicKey.acceptedBits.contains(bits) else { throw .modulusSize(bits: bits) }
        let handle: KeyHandle
        do {
            handle = try unsafe KeyHandle(generating: "RSA") {
                unsafe EVP_PKEY_CTX_set_rsa_keygen_bits($0, Int32(bits))
            }
        } catch {
            throw .failed(error)
        }
        return try RSAPrivateKey(handle)
    }

    package func sign(_ message: [UInt8]) throws(OpenSSLError) -> [UInt8] {
        try handle.sign(message, digest: .sha256)
    }

    /// PKCS #8, not encrypted.
    package var pem: String { handle.pem }
}

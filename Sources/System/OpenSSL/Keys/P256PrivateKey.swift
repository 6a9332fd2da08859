internal import COpenSSL

/// A key pair on NIST's curve P-256 that signs with ECDSA and SHA-256 (ES256).
package struct P256PrivateKey: Sendable {
    /// OpenSSL's name for the curve.
    static let curve: StaticString = "prime256v1"

    let handle: KeyHandle
    package let publicKey: P256PublicKey

    init(_ handle: KeyHandle) throws(KeyError) {
        self.handle = handle
        let count = P256PublicKey.coordinateByteCount
        let x: [UInt8]
        let y: [UInt8]
        do throws(OpenSSLError) {
            x = try handle.number(OSSL_PKEY_PARAM_EC_PUB_X).paddedBytes(count: count)
            y = try handle.number(OSSL_PKEY_PARAM_EC_PUB_Y).paddedBytes(count: count)
        } catch {
            throw .failed(error)
        }
        publicKey = try P256PublicKey(x: x, y: y)
    }

    package static func generate() throws(KeyError) -> P256PrivateKey {
        let handle: KeyHandle
        do {
            handle = try unsafe KeyHandle(generating: "EC") { unsafe EVP_PKEY_CTX_set_group_name($0, curve.cString) }
        } catch {
            throw .failed(error)
        }
        return try P256PrivateKey(handle)
    }

    /// R and S, 32 bytes each, as in RFC 7518, section 3.4.
    package func sign(_ message: [UInt8]) throws(OpenSSLError) -> [UInt8] {
        try P256Signature.raw(fromDER: handle.sign(message, digest: .sha256))
    }

    /// PKCS #8, not encrypted.
    package var pem: String { handle.pem }
}

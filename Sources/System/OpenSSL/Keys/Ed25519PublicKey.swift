internal import COpenSSL

/// A key that verifies Ed25519 signatures (EdDSA in JOSE, RFC 8037).
package struct Ed25519PublicKey: Sendable {
    package static let byteCount = 32

    package let raw: [UInt8]
    private let verifier: MessageVerifier

    package init(raw: [UInt8]) throws(KeyError) {
        guard raw.count == Self.byteCount else { throw .length(bytes: raw.count) }
        guard let key = unsafe EVP_PKEY_new_raw_public_key_ex(nil, "ED25519", nil, raw, raw.count) else {
            throw .failed(.drained("EVP_PKEY_new_raw_public_key_ex"))
        }
        self.raw = raw
        verifier = MessageVerifier(unsafe KeyHandle(takingOwnership: key))
    }

    package func isValid(signature: [UInt8], for message: [UInt8]) -> Bool {
        verifier.isValid(signature: signature, for: message)
    }
}

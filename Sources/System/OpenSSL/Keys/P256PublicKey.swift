internal import COpenSSL

/// A public key on NIST's curve P-256 that verifies ECDSA signatures with SHA-256 (ES256).
package struct P256PublicKey: Sendable {
    package static let coordinateByteCount = 32

    package let x: [UInt8]
    package let y: [UInt8]
    private let verifier: HashVerifier

    /// Throws if the point is not on the curve, which prevents invalid-curve attacks.
    package init(x: [UInt8], y: [UInt8]) throws(KeyError) {
        for coordinate in [x, y] where coordinate.count != Self.coordinateByteCount {
            throw .length(bytes: coordinate.count)
        }
        self.x = x
        self.y = y
        do {
            verifier = HashVerifier(try Self.handle(uncompressedPoint: [0x04] + x + y))
        } catch {
            throw .point
        }
    }

    private static func handle(uncompressedPoint: [UInt8]) throws(OpenSSLError) -> KeyHandle {
        let names: (group: StaticString, point: StaticString) = ("group", "pub")
        let curve = P256PrivateKey.curve
        let parameters = try unsafe uncompressedPoint.span.withUnsafeBytes { (octets) throws(OpenSSLError) in
            try unsafe KeyParameters { builder in
                unsafe OSSL_PARAM_BLD_push_utf8_string(builder, names.group.cString, curve.cString, 0) == 1
                    && OSSL_PARAM_BLD_push_octet_string(
                        builder, names.point.cString, octets.baseAddress, octets.count) == 1
            }
        }
        return try KeyHandle(publicKeyOf: "EC", parameters)
    }

    /// - Parameter signature: R and S, 32 bytes each, as in RFC 7518, section 3.4.
    package func isValid(signature: [UInt8], for message: [UInt8]) -> Bool {
        isValid(signature: signature, ofHash: SHA256.hash(message))
    }

    /// - Parameter hash: SHA-256 of the message.
    package func isValid(signature: [UInt8], ofHash hash: [UInt8]) -> Bool {
        guard let der = P256Signature.der(fromRaw: signature) else { return false }
        return verifier.isValid(signature: der, ofHash: hash)
    }
}

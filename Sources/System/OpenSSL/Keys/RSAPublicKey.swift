internal import COpenSSL

/// An RSA public key that verifies RSASSA-PKCS1-v1_5 signatures with SHA-256 (RS256).
package struct RSAPublicKey: Sendable {
    package static let acceptedBits = 2048...8192

    /// Longer exponents are legal but not used in practice, and only make verification slow.
    private static let maximumExponentBytes = 8

    private let verifier: HashVerifier

    /// - Parameters:
    ///   - modulus: In big-endian order; leading zeros are ignored.
    ///   - exponent: In big-endian order; leading zeros are ignored.
    package init(modulus: [UInt8], exponent: [UInt8]) throws(KeyError) {
        let modulus = Array(modulus.drop { $0 == 0 })
        let exponent = Array(exponent.drop { $0 == 0 })
        try Self.check(modulus: modulus, exponent: exponent)
        let n = BigNumber(modulus)
        let e = BigNumber(exponent)
        let names: (n: StaticString, e: StaticString) = ("n", "e")
        do throws(OpenSSLError) {
            let parameters = try unsafe KeyParameters { builder in
                unsafe OSSL_PARAM_BLD_push_BN(builder, names.n.cString, n.pointer) == 1
                    && OSSL_PARAM_BLD_push_BN(builder, names.e.cString, e.pointer) == 1
            }
            verifier = HashVerifier(try KeyHandle(publicKeyOf: "RSA", parameters))
        } catch {
            throw .failed(error)
        }
    }

    package func isValidPKCS1SHA256Signature(_ signature: [UInt8], for message: [UInt8]) -> Bool {
        isValidPKCS1SHA256Signature(signature, ofHash: SHA256.hash(message))
    }

    /// - Parameter hash: SHA-256 of the message.
    package func isValidPKCS1SHA256Signature(_ signature: [UInt8], ofHash hash: [UInt8]) -> Bool {
        verifier.isValid(signature: signature, ofHash: hash)
    }

    private static func check(modulus: [UInt8], exponent: [UInt8]) throws(KeyError) {
        let bits = modulus.count * 8 - (modulus.first?.leadingZeroBitCount ?? 0)
        guard acceptedBits.contains(bits) else { throw .modulusSize(bits: bits) }
        guard modulus.last?.isMultiple(of: 2) == false else { throw .evenModulus }
        let isOne = exponent == [1]
        guard (1...maximumExponentBytes).contains(exponent.count), !isOne,
            exponent.last?.isMultiple(of: 2) == false
        else { throw .exponent }
    }
}

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
        (self.x, self.y) = (x, y)
        do {
            verifier = HashVerifier(try Self.handle(uncompressedPoint: [0x04] + x + y))
        } catch {
            throw .point
        }
    }

    /// A key without a point. To make its copies takes a third of the time that the parameters of the curve take.
    private static let curveAlone: KeyHandle = {
        let group: StaticString = "group"
        do throws(OpenSSLError) {
            let parameters = try unsafe KeyParameters { builder in
                unsafe OSSL_PARAM_BLD_push_utf8_string(builder, group.cString, P256PrivateKey.curve.cString, 0) == 1
            }
            return try KeyHandle(parametersOf: "EC", parameters)
        } catch {
            OpenSSLError.trap("EVP_PKEY_fromdata")
        }
    }()

    private static func handle(uncompressedPoint: [UInt8]) throws(OpenSSLError) -> KeyHandle {
        guard let copy = unsafe EVP_PKEY_dup(curveAlone.pointer) else { OpenSSLError.trap("EVP_PKEY_dup") }
        let key = unsafe KeyHandle(takingOwnership: copy)
        guard unsafe EVP_PKEY_set1_encoded_public_key(copy, uncompressedPoint, uncompressedPoint.count) == 1 else {
            throw .drained("EVP_PKEY_set1_encoded_public_key")
        }
        return key
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

    /// - Parameter signature: R and S in DER, as WebAuthn has them. OpenSSL accepts no other encoding of the two numbers, and
    ///   no bytes after them.
    package func isValid(derSignature signature: [UInt8], for message: [UInt8]) -> Bool {
        verifier.isValid(signature: signature, ofHash: SHA256.hash(message))
    }
}

/// Converts between the two encodings of an ECDSA signature: R and S concatenated (JOSE), and DER (OpenSSL).
enum P256Signature {
    static let rawByteCount = 64

    /// Nil if `raw` is not exactly 64 bytes long. The verification checks the range of R and S.
    static func der(fromRaw raw: [UInt8]) -> [UInt8]? {
        guard raw.count == rawByteCount else { return nil }
        guard let signature = unsafe ECDSA_SIG_new() else { OpenSSLError.trap("ECDSA_SIG_new") }
        defer { unsafe ECDSA_SIG_free(signature) }
        let r = BigNumber(Array(raw[..<32]))
        let s = BigNumber(Array(raw[32...]))
        guard unsafe ECDSA_SIG_set0(signature, r.releaseOwnership(), s.releaseOwnership()) == 1 else {
            OpenSSLError.trap("ECDSA_SIG_set0")
        }
        let count = unsafe i2d_ECDSA_SIG(signature, nil)
        guard count > 0 else { OpenSSLError.trap("i2d_ECDSA_SIG") }
        return unsafe [UInt8](unsafeUninitializedCapacity: Int(count)) { output, initialized in
            var end = output.baseAddress
            initialized = Int(unsafe i2d_ECDSA_SIG(signature, &end))
        }
    }

    static func raw(fromDER der: [UInt8]) throws(OpenSSLError) -> [UInt8] {
        let signature = unsafe der.withUnsafeBufferPointer { bytes in
            var start = bytes.baseAddress
            return unsafe d2i_ECDSA_SIG(nil, &start, bytes.count)
        }
        guard let signature = unsafe signature else { throw .drained("d2i_ECDSA_SIG") }
        defer { unsafe ECDSA_SIG_free(signature) }
        return unsafe padded(ECDSA_SIG_get0_r(signature)) + padded(ECDSA_SIG_get0_s(signature))
    }

    private static func padded(_ number: OpaquePointer?) -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: rawByteCount / 2)
        guard unsafe BN_bn2binpad(number, &bytes, Int32(bytes.count)) == Int32(bytes.count) else {
            OpenSSLError.trap("BN_bn2binpad")
        }
        return bytes
    }
}

internal import COpenSSL

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

internal import COpenSSL

/// Owns a `BIGNUM`. Its memory is erased on destruction, since it may be part of a private key.
@safe
struct BigNumber: ~Copyable {
    let pointer: OpaquePointer

    init(takingOwnership pointer: OpaquePointer) {
        unsafe self.pointer = pointer
    }

    /// - Parameter bytes: The number in big-endian order.
    init(_ bytes: [UInt8]) {
        guard let pointer = unsafe BN_bin2bn(bytes, Int32(bytes.count), nil) else { OpenSSLError.trap("BN_bin2bn") }
        unsafe self.pointer = pointer
    }

    deinit { unsafe BN_clear_free(pointer) }

    /// Passes ownership to a C structure, which frees the number.
    consuming func releaseOwnership() -> OpaquePointer {
        let pointer = unsafe pointer
        discard self
        return unsafe pointer
    }

    /// In big-endian order, without leading zeros.
    var bytes: [UInt8] { unsafe paddedBytes(count: (Int(BN_num_bits(pointer)) + 7) / 8) }

    /// In big-endian order, padded with leading zeros to `count` bytes.
    func paddedBytes(count: Int) -> [UInt8] {
        unsafe [UInt8](unsafeUninitializedCapacity: count) { output, initialized in
            guard unsafe BN_bn2binpad(pointer, output.baseAddress, Int32(count)) == count else {
                OpenSSLError.trap("BN_bn2binpad")
            }
            initialized = count
        }
    }
}

internal import COpenSSL

/// An owner of a `BIGNUM`; its memory is wiped when it goes, for it may be part of a private key.
@safe
struct BigNumber: ~Copyable {
    let pointer: OpaquePointer

    init(takingOwnership pointer: OpaquePointer) {
        unsafe self.pointer = pointer
    }

    /// The number that these bytes are, most significant first.
    init(_ bytes: [UInt8]) {
        guard let pointer = unsafe BN_bin2bn(bytes, Int32(bytes.count), nil) else { OpenSSLError.trap("BN_bin2bn") }
        unsafe self.pointer = pointer
    }

    deinit { unsafe BN_clear_free(pointer) }

    /// Hands the number to a C structure that will free it.
    consuming func releaseOwnership() -> OpaquePointer {
        let pointer = unsafe pointer
        discard self
        return unsafe pointer
    }

    /// Most significant byte first, without leading zeros.
    var bytes: [UInt8] { unsafe paddedBytes(count: (Int(BN_num_bits(pointer)) + 7) / 8) }

    /// Most significant byte first, with as many leading zeros as it takes.
    func paddedBytes(count: Int) -> [UInt8] {
        unsafe [UInt8](unsafeUninitializedCapacity: count) { output, initialized in
            guard unsafe BN_bn2binpad(pointer, output.baseAddress, Int32(count)) == count else {
                OpenSSLError.trap("BN_bn2binpad")
            }
            initialized = count
        }
    }
}

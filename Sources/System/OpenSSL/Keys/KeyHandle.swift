internal import COpenSSL

/// Owns an `EVP_PKEY`, public or private, that is not modified after it is built.
///
/// `@unchecked Sendable`: openssl-threads(7) calls objects thread-safe "as long as the API's being invoked don't modify
/// the object", and states that two threads can sign with separate contexts. Every operation below creates its own
/// context and only reads the key.
@safe
final class KeyHandle: @unchecked Sendable {
    let pointer: OpaquePointer

    init(takingOwnership pointer: OpaquePointer) {
        unsafe self.pointer = pointer
    }

    deinit { unsafe EVP_PKEY_free(pointer) }

    /// - Parameter digest: Nil for Ed25519, which hashes the message itself.
    func sign(_ message: [UInt8], digest: MessageDigest?) throws(OpenSSLError) -> [UInt8] {
        guard let context = unsafe EVP_MD_CTX_new() else { throw .drained("EVP_MD_CTX_new") }
        defer { unsafe EVP_MD_CTX_free(context) }
        guard unsafe EVP_DigestSignInit(context, nil, digest?.pointer, nil, pointer) == 1 else {
            throw .drained("EVP_DigestSignInit")
        }
        var count = Int(unsafe EVP_PKEY_get_size(pointer))
        var signature = [UInt8](repeating: 0, count: count)
        guard unsafe EVP_DigestSign(context, &signature, &count, message, message.count) == 1 else {
            throw .drained("EVP_DigestSign")
        }
        return Array(signature.prefix(count))
    }

    /// A number of the key, by OpenSSL's name of the parameter.
    func number(_ parameter: String) throws(OpenSSLError) -> BigNumber {
        var number: OpaquePointer?
        guard unsafe EVP_PKEY_get_bn_param(pointer, parameter, &number) == 1, let number = unsafe number else {
            throw .drained("EVP_PKEY_get_bn_param")
        }
        return unsafe BigNumber(takingOwnership: number)
    }
}

extension KeyHandle {
    /// The value of the macro `EVP_PKEY_PUBLIC_KEY`, which Swift cannot import.
    private static let publicKeySelection = OSSL_KEYMGMT_SELECT_ALL_PARAMETERS | OSSL_KEYMGMT_SELECT_PUBLIC_KEY

    /// Builds a public key of an algorithm from its parameters.
    convenience init(publicKeyOf algorithm: String, _ parameters: borrowing KeyParameters) throws(OpenSSLError) {
        try self.init(algorithm, parameters, Self.publicKeySelection)
    }

    /// Builds what keys of an algorithm have in common.
    convenience init(parametersOf algorithm: String, _ parameters: borrowing KeyParameters) throws(OpenSSLError) {
        try self.init(algorithm, parameters, OSSL_KEYMGMT_SELECT_ALL_PARAMETERS)
    }

    private convenience init(
        _ algorithm: String, _ parameters: borrowing KeyParameters, _ selection: Int32
    ) throws(OpenSSLError) {
        guard let context = unsafe EVP_PKEY_CTX_new_from_name(nil, algorithm, nil) else {
            throw .drained("EVP_PKEY_CTX_new_from_name")
        }
        defer { unsafe EVP_PKEY_CTX_free(context) }
        var key: OpaquePointer?
        guard unsafe EVP_PKEY_fromdata_init(context) == 1,
            unsafe EVP_PKEY_fromdata(context, &key, selection, parameters.pointer) == 1,
            let key = unsafe key
        else { throw .drained("EVP_PKEY_fromdata") }
        unsafe self.init(takingOwnership: key)
    }

    /// Generates a key pair. `configure` sets the parameters of the algorithm and returns OpenSSL's status.
    convenience init(
        generating algorithm: String, configure: (OpaquePointer) -> Int32 = { _ in 1 }
    ) throws(OpenSSLError) {
        guard let context = unsafe EVP_PKEY_CTX_new_from_name(nil, algorithm, nil) else {
            throw .drained("EVP_PKEY_CTX_new_from_name")
        }
        defer { unsafe EVP_PKEY_CTX_free(context) }
        var key: OpaquePointer?
        guard unsafe EVP_PKEY_keygen_init(context) == 1, unsafe configure(context) == 1,
            unsafe EVP_PKEY_generate(context, &key) == 1, let key = unsafe key
        else { throw .drained("EVP_PKEY_generate") }
        unsafe self.init(takingOwnership: key)
    }
}

/// Owns the parameter list from which a key is built.
@safe
struct KeyParameters: ~Copyable {
    let pointer: UnsafeMutablePointer<OSSL_PARAM>

    /// - Parameter fill: Pushes the parameters and returns whether all of them were accepted. Values are copied before
    ///   this initialiser returns. Names are not copied, so they must be static.
    init(_ fill: (OpaquePointer) -> Bool) throws(OpenSSLError) {
        guard let builder = unsafe OSSL_PARAM_BLD_new() else { throw .drained("OSSL_PARAM_BLD_new") }
        defer { unsafe OSSL_PARAM_BLD_free(builder) }
        guard unsafe fill(builder), let pointer = unsafe OSSL_PARAM_BLD_to_param(builder) else {
            throw .drained("OSSL_PARAM_BLD_to_param")
        }
        unsafe self.pointer = pointer
    }

    deinit { unsafe OSSL_PARAM_free(pointer) }
}

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

/// Owns a memory `BIO`, with which OpenSSL reads and writes PEM without a file.
@safe
struct MemoryBIO: ~Copyable {
    let pointer: OpaquePointer

    /// An empty BIO to write to.
    init() {
        guard let pointer = unsafe BIO_new(BIO_s_mem()) else { OpenSSLError.trap("BIO_new") }
        unsafe self.pointer = pointer
    }

    /// A BIO with a copy of `bytes` to read from.
    init(_ bytes: [UInt8]) {
        self.init()
        guard unsafe bytes.isEmpty || BIO_write(pointer, bytes, Int32(bytes.count)) == Int32(bytes.count) else {
            OpenSSLError.trap("BIO_write")
        }
    }

    deinit { unsafe BIO_free_all(pointer) }

    /// Removes and returns everything that was written.
    func readAll() -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: unsafe BIO_ctrl_pending(pointer))
        let count = unsafe BIO_read(pointer, &bytes, Int32(bytes.count))
        return Array(bytes.prefix(Int(max(0, count))))
    }
}

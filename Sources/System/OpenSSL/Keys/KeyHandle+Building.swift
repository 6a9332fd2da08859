internal import COpenSSL

extension KeyHandle {
    /// The value of the macro `EVP_PKEY_PUBLIC_KEY`, which Swift cannot import.
    private static let publicKeySelection = OSSL_KEYMGMT_SELECT_ALL_PARAMETERS | OSSL_KEYMGMT_SELECT_PUBLIC_KEY

    /// Builds a public key of an algorithm from its parameters.
    convenience init(
        publicKeyOf algorithm: String, _ parameters: borrowing KeyParameters
    ) throws(OpenSSLError) {
        guard let context = unsafe EVP_PKEY_CTX_new_from_name(nil, algorithm, nil) else {
            throw .drained("EVP_PKEY_CTX_new_from_name")
        }
        defer { unsafe EVP_PKEY_CTX_free(context) }
        var key: OpaquePointer?
        guard unsafe EVP_PKEY_fromdata_init(context) == 1,
            unsafe EVP_PKEY_fromdata(context, &key, Self.publicKeySelection, parameters.pointer) == 1,
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

internal import COpenSSL

/// A private key read from PEM, of one of the accepted types.
package enum PrivateKeyPEM: Sendable {
    case rsa(RSAPrivateKey)
    case p256(P256PrivateKey)
    case ed25519(Ed25519PrivateKey)

    /// Reads PKCS #8 and the traditional formats of OpenSSL. Text around the PEM block is ignored.
    package init(_ text: String) throws(KeyError) {
        let handle = try KeyHandle(privateKeyPEM: text)
        switch try handle.kind() {
        case .rsa: self = .rsa(try RSAPrivateKey(handle))
        case .p256: self = .p256(try P256PrivateKey(handle))
        case .ed25519: self = .ed25519(try Ed25519PrivateKey(handle))
        }
        try handle.checkConsistency()
    }
}

extension KeyHandle {
    fileprivate enum Kind { case rsa, p256, ed25519 }

    fileprivate convenience init(privateKeyPEM text: String) throws(KeyError) {
        let source = MemoryBIO(Array(text.utf8))
        var passphraseWanted = false
        // An error that another call has left on this thread would be taken for one of a block before the key.
        ERR_clear_error()
        let key = unsafe PEM_read_bio_PrivateKey_ex(
            source.pointer, nil,
            { _, _, _, wanted in
                // Without this callback OpenSSL would ask on the terminal. A negative length means
                // that there is no passphrase.
                unsafe wanted?.storeBytes(of: true, as: Bool.self)
                return -1
            }, &passphraseWanted, nil, nil)
        guard let key = unsafe key else {
            ERR_clear_error()
            throw passphraseWanted ? .encrypted : .notPEM
        }
        unsafe self.init(takingOwnership: key)
    }

    fileprivate func kind() throws(KeyError) -> Kind {
        if unsafe EVP_PKEY_is_a(pointer, "RSA") == 1 { return .rsa }
        if unsafe EVP_PKEY_is_a(pointer, "ED25519") == 1 { return .ed25519 }
        if unsafe EVP_PKEY_is_a(pointer, "EC") == 1 {
            let group = groupName()
            guard group == P256PrivateKey.curve.description else { throw .unsupported(kind: "EC \(group)") }
            return .p256
        }
        let name = unsafe EVP_PKEY_get0_type_name(pointer).map { unsafe String(cString: $0) }
        throw .unsupported(kind: name ?? "unknown")
    }

    private func groupName() -> String {
        var name = [CChar](repeating: 0, count: 80)
        var length = 0
        guard unsafe EVP_PKEY_get_group_name(pointer, &name, name.count, &length) == 1 else {
            ERR_clear_error()
            return "unnamed curve"
        }
        return String(decoding: name.prefix(length).map(UInt8.init), as: UTF8.self)
    }

    /// If the private key does not belong to the public key, its signatures cannot be verified, and
    /// they may reveal the key.
    fileprivate func checkConsistency() throws(KeyError) {
        guard let context = unsafe EVP_PKEY_CTX_new_from_pkey(nil, pointer, nil) else {
            throw .failed(.drained("EVP_PKEY_CTX_new_from_pkey"))
        }
        defer { unsafe EVP_PKEY_CTX_free(context) }
        guard unsafe EVP_PKEY_pairwise_check(context) == 1 else {
            ERR_clear_error()
            throw .inconsistent
        }
    }

    /// PKCS #8, not encrypted.
    var pem: String {
        let target = MemoryBIO()
        guard unsafe PEM_write_bio_PKCS8PrivateKey(target.pointer, pointer, nil, nil, 0, nil, nil) == 1 else {
            OpenSSLError.trap("PEM_write_bio_PKCS8PrivateKey")
        }
        return String(decoding: target.readAll(), as: UTF8.self)
    }
}

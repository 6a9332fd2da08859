internal import COpenSSL

/// The content of an X.509 certificate. Whether the certificate can be trusted is not verified.
package struct Certificate: Sendable, Equatable {
    /// In seconds since 1970.
    package let notBefore: Int64
    package let notAfter: Int64
    /// Whether it is valid for the host name or address given at initialisation.
    package let coversHost: Bool
    /// Whether it is signed with its own key.
    package let isSelfSigned: Bool
    /// The SHA-256 hash of the certificate in DER.
    package let fingerprint: [UInt8]

    /// Reads the first certificate in a PEM text; nil if there is none.
    package init?(pem: String, host: String) {
        let source = MemoryBIO(Array(pem.utf8))
        guard let certificate = unsafe PEM_read_bio_X509(source.pointer, nil, nil, nil) else {
            ERR_clear_error()
            return nil
        }
        unsafe self.init(takingOwnership: certificate, host: host)
    }

    /// The certificate that the server of a connection has presented; nil if it has presented none.
    ///
    /// - Parameter connection: an `SSL` of OpenSSL that another library owns.
    package init?(presentedOver connection: UnsafeMutableRawPointer, host: String) {
        guard let certificate = unsafe SSL_get1_peer_certificate(OpaquePointer(connection)) else { return nil }
        unsafe self.init(takingOwnership: certificate, host: host)
    }

    private init?(takingOwnership certificate: OpaquePointer, host: String) {
        defer {
            unsafe X509_free(certificate)
            ERR_clear_error()
        }
        guard let notBefore = unsafe Self.seconds(X509_get0_notBefore(certificate)),
            let notAfter = unsafe Self.seconds(X509_get0_notAfter(certificate))
        else { return nil }
        (self.notBefore, self.notAfter) = (notBefore, notAfter)
        coversHost =
            unsafe X509_check_ip_asc(certificate, host, 0) == 1
            || X509_check_host(certificate, host, host.utf8.count, 0, nil) == 1
        isSelfSigned = unsafe X509_self_signed(certificate, 1) == 1
        var digest = [UInt8](repeating: 0, count: Int(EVP_MAX_MD_SIZE))
        var count: UInt32 = 0
        guard unsafe X509_digest(certificate, EVP_sha256(), &digest, &count) == 1 else { return nil }
        fingerprint = Array(digest.prefix(Int(count)))
    }

    private static func seconds(_ time: UnsafePointer<ASN1_TIME>?) -> Int64? {
        guard let epoch = unsafe ASN1_TIME_set(nil, 0) else { OpenSSLError.trap("ASN1_TIME_set") }
        defer { unsafe ASN1_TIME_free(epoch) }
        var (days, seconds) = (Int32(), Int32())
        guard unsafe ASN1_TIME_diff(&days, &seconds, epoch, time) == 1 else { return nil }
        return Int64(days) * 86_400 + Int64(seconds)
    }
}

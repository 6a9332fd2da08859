package import Gatehouse
import OpenSSL

/// What can be seen of a certificate that nginx shows, or would show.
package struct ServedCertificate: Sendable, Equatable {
    package let notBefore: Timestamp
    package let notAfter: Timestamp
    package let coversHost: Bool
    package let isSelfSigned: Bool
    private let fingerprint: [UInt8]

    package init(
        notBefore: Timestamp, notAfter: Timestamp, coversHost: Bool = true, isSelfSigned: Bool = false,
        fingerprint: [UInt8] = []
    ) {
        self.notBefore = notBefore
        self.notAfter = notAfter
        self.coversHost = coversHost
        self.isSelfSigned = isSelfSigned
        self.fingerprint = fingerprint
    }

    /// The first certificate of a PEM text; nil where there is none.
    package init?(pem: String, host: String) {
        guard let certificate = Certificate(pem: pem, host: host) else { return nil }
        self.init(
            notBefore: Timestamp(seconds: certificate.notBefore), notAfter: Timestamp(seconds: certificate.notAfter),
            coversHost: certificate.coversHost, isSelfSigned: certificate.isSelfSigned,
            fingerprint: certificate.fingerprint)
    }

    package func isSame(as other: ServedCertificate) -> Bool { fingerprint == other.fingerprint }
}

import OpenSSL
import TestSupport
import Testing

@Suite("A certificate")
struct CertificateTests {
    /// A certificate from the openssl command, valid from now on.
    private static func certificate(days: Int, names: String) throws -> String {
        let folder = try TemporaryFolder()
        try Shell.run([
            "openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days",
            "\(days)", "-subj", "/CN=ignored.example", "-addext", "subjectAltName=\(names)", "-keyout",
            folder.file("key"), "-out", folder.file("pem"),
        ])
        return String(decoding: try Shell.run(["cat", folder.file("pem")]), as: UTF8.self)
    }

    private static let several = Result {
        try certificate(days: 1, names: "DNS:api.example.com,DNS:*.wild.example,IP:192.0.2.1,IP:2001:db8::1")
    }

    @Test(
        "covers the names and addresses that it lists",
        arguments: [
            ("api.example.com", true), ("API.EXAMPLE.COM", true), ("example.com", false), ("x.wild.example", true),
            ("x.y.wild.example", false), ("ignored.example", false), ("192.0.2.1", true), ("192.0.2.2", false),
            ("2001:db8::1", true), ("", false),
        ])
    func names(host: String, isCovered: Bool) throws {
        #expect(try #require(Certificate(pem: Self.several.get(), host: host)).coversHost == isCovered)
    }

    @Test("has the times of its validity, and whether it is self-signed")
    func validity() throws {
        let pem = try Self.certificate(days: 3, names: "DNS:a")
        let certificate = try #require(Certificate(pem: "text around it\n" + pem, host: "a"))
        #expect(certificate.notAfter - certificate.notBefore == 3 * 86_400)
        let now = try Int64(String(decoding: Shell.run(["date", "+%s"]), as: UTF8.self).dropLast()) ?? 0
        #expect(abs(now - certificate.notBefore) < 600)
        #expect(certificate.isSelfSigned)
        #expect(certificate == Certificate(pem: pem, host: "a"))
        #expect(
            certificate.fingerprint
                != Certificate(pem: try Self.certificate(days: 3, names: "DNS:a"), host: "a")?.fingerprint)
    }

    @Test(
        "is nil for a text without a certificate",
        arguments: ["", "x", "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n"])
    func garbage(text: String) {
        #expect(Certificate(pem: text, host: "a") == nil)
    }
}

import Foundation
import TestSupport
import Testing

@testable import ServerSupport

@Suite("The certificate for development")
struct CertificateScriptTests {
    private let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
    }

    @discardableResult
    private func make(_ names: String...) throws -> Shell.Outcome {
        let outcome = try Shell.outcome(of: [Executable.root + "/deploy/lib/certificate", folder.path] + names)
        #expect(outcome.status == 0, "\(outcome.errorOutput)")
        return outcome
    }

    private func read(_ name: String) throws -> String {
        try String(contentsOfFile: folder.file(name), encoding: .utf8)
    }

    private func openssl(_ arguments: String...) throws -> Shell.Outcome {
        try Shell.outcome(of: ["openssl"] + arguments)
    }

    /// Whether a client that trusts the file accepts the certificate for the name.
    private func isTrusted(_ name: String, by file: String) throws -> Bool {
        let option =
            name.contains(":") || name.allSatisfy { $0.isNumber || $0 == "." } ? "-verify_ip" : "-verify_hostname"
        return try openssl(
            "verify", "-CAfile", folder.file(file), option, name, "-purpose", "sslserver",
            folder.file("certificate.pem")
        ).status == 0
    }

    @Test(
        "It is for the names and addresses, and both files are trusted", arguments: ["ca.pem", "certificate.pem"])
    func names(_ file: String) throws {
        try make("desk.local", "192.168.7.7", "fd00::7")
        for name in ["localhost", "127.0.0.1", "::1", "desk.local", "192.168.7.7", "fd00::7"] {
            #expect(try isTrusted(name, by: file), "\(name)")
        }
        #expect(try !isTrusted("192.168.7.8", by: file))
    }

    /// Requirements of iOS: support.apple.com/103769, and CA:TRUE for a root that the user switches on.
    @Test("It meets the requirements of iOS")
    func requirements() throws {
        try make("192.168.7.7")
        let leaf = try openssl("x509", "-in", folder.file("certificate.pem"), "-noout", "-text").text
        #expect(leaf.contains("TLS Web Server Authentication") && leaf.contains("CA:FALSE"))
        #expect(
            try openssl("x509", "-in", folder.file("certificate.pem"), "-noout", "-checkend", "\(825 * 86_400)").status
                == 1)
        let authority = try openssl("x509", "-in", folder.file("ca.pem"), "-noout", "-text").text
        #expect(authority.contains("CA:TRUE, pathlen:0") && authority.contains("Name Constraints: critical"))
    }

    @Test("It is kept, and a new name keeps the authority")
    func kept() throws {
        try make()
        let (authority, certificate) = (try read("ca.pem"), try read("certificate.pem"))
        try make()
        #expect(try read("certificate.pem") == certificate)
        #expect(try make("desk.local", "10.1.2.3").errorOutput == "")
        #expect(try read("certificate.pem") != certificate && read("ca.pem") == authority)
        let both = try read("certificate.pem")
        try make()
        #expect(try read("certificate.pem") == both)
    }

    @Test(
        "The authority cannot sign for other names; where one is given, a new authority is made, and the script says so"
    )
    func constraints() throws {
        try make("desk.local")
        let authority = try read("ca.pem")
        #expect(try make("api.example.com").errorOutput.contains("ca.pem is new"))
        #expect(try read("ca.pem") != authority)
        #expect(try isTrusted("api.example.com", by: "ca.pem"))
        #expect(try make("203.0.113.9").errorOutput.contains("ca.pem is new"))
        #expect(try isTrusted("203.0.113.9", by: "ca.pem") && !isTrusted("api.example.com", by: "ca.pem"))
    }

    @Test(
        "Files that do not belong together are replaced",
        arguments: ["ca.pem", "ca.key", "certificate.pem", "certificate.key"])
    func broken(_ name: String) throws {
        try make()
        try "broken".write(toFile: folder.file(name), atomically: true, encoding: .utf8)
        try make("desk.local")
        #expect(try isTrusted("desk.local", by: "ca.pem"))
        let files = try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted()
        #expect(files == ["ca.key", "ca.pem", "certificate.key", "certificate.pem"])
        for key in ["ca.key", "certificate.key"] {
            let attributes = try FileManager.default.attributesOfItem(atPath: folder.file(key))
            #expect(attributes[.posixPermissions] as? Int == 0o600)
        }
    }
}

import Curl
import Foundation
import TestSupport
import Testing

@Suite("A certificate that is refused")
struct CertificateTests {
    private let folder: TemporaryFolder

    /// An authority, and a certificate of it for `localhost`.
    init() throws {
        folder = try TemporaryFolder()
        try run("req -x509 -newkey rsa:2048 -nodes -days 30 -subj /CN=authority -keyout ca.key -out ca.pem")
        try run("req -newkey rsa:2048 -nodes -subj /CN=localhost -keyout key.pem -out request.pem")
        try Data("subjectAltName=DNS:localhost".utf8).write(to: URL(fileURLWithPath: folder.file("names")))
    }

    private func run(_ words: String) throws {
        try Shell.run(["/bin/sh", "-c", "cd \(folder.path) && exec openssl \(words) 2>/dev/null"])
    }

    @Test(
        "An expired one, one for another name and one of an unknown authority are three texts",
        arguments: [
            (0, "localhost", true, "the certificate has expired"),
            (30, "127.0.0.1", true, "the certificate is for another name"),
            (30, "localhost", false, "no authority that this machine trusts has issued the certificate"),
        ])
    func texts(days: Int, host: String, isTrusted: Bool, text: String) throws {
        try run("x509 -req -in request.pem -CA ca.pem -CAkey ca.key -days \(days) -extfile names -out server.pem")
        let port = try FreePort.any()
        let server = try ChildProcess(
            [
                "openssl", "s_server", "-accept", "\(port)", "-cert", folder.file("server.pem"), "-key",
                folder.file("key.pem"), "-www",
            ],
            environment: ["PATH": "/usr/bin:/bin"], log: folder.file("log"))
        defer { server.stop() }
        let client = HTTPClient(timeout: .seconds(20), authorities: isTrusted ? folder.file("ca.pem") : nil)
        let isRefused = Eventually.holds {
            do throws(HTTPFault) { _ = try client.get("https://\(host):\(port)/") } catch {
                return error == .transport(code: 60, name: text)
            }
            return false
        }
        #expect(isRefused)
    }
}

import Foundation
import SQL
import TestSupport
import Testing

@testable import PostgreSQL

@Suite("PostgreSQL: TLS")
struct TLSTests {
    /// A server with a certificate for `localhost`, and the path of that certificate.
    private func server(_ folder: TemporaryFolder) throws -> TemporaryPostgreSQL {
        let (key, certificate) = (folder.file("key.pem"), folder.file("certificate.pem"))
        try Shell.run([
            "openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-subj",
            "/CN=localhost", "-addext", "subjectAltName=DNS:localhost", "-keyout", key, "-out", certificate,
        ])
        let files = try ["key.pem": key, "certificate.pem": certificate].mapValues {
            try String(contentsOfFile: $0, encoding: .utf8)
        }
        let port = try FreePort.any()
        return try TemporaryPostgreSQL(
            settings: [
                "listen_addresses": "127.0.0.1", "port": "\(port)", "ssl": "on", "ssl_cert_file": "certificate.pem",
                "ssl_key_file": "key.pem",
            ], files: files)
    }

    @Test("Statements and large results go through TLS, and a certificate of another authority is refused")
    func largeResults() throws {
        let folder = try TemporaryFolder()
        let server = try server(folder)
        let address = "postgresql://postgres@localhost:\(server.port)/postgres?hostaddr=127.0.0.1&sslmode="
        let connection = try Connection(to: address + "verify-full&sslrootcert=" + folder.file("certificate.pem"))
        let isEncrypted = try connection.first("SELECT ssl FROM pg_stat_ssl WHERE pid = pg_backend_pid()") {
            $0.optionalFlag(0)
        }
        #expect(isEncrypted == true)
        let month: Int64 = 30 * 86_400
        let left = try #require(connection.certificateEnd) - Int64(Date().timeIntervalSince1970)
        #expect((month - 3600...month).contains(left), "openssl req gives a certificate 30 days")
        for size in [8000, 8192, 16_000, 16_384, 16_385, 40_000, 1_000_000] {
            let text = try connection.first("SELECT repeat('x', ?)", .integer(Int64(size))) { $0.text(0) }
            #expect(text?.utf8.count == size)
        }
        let rows = try connection.all("SELECT repeat('y', 1000) FROM generate_series(1, 5000)") {
            $0.text(0).utf8.count
        }
        #expect(rows.count == 5000)

        let error = failure {
            _ = try Connection(to: address + "verify-full&sslrootcert=/etc/ssl/certs/ca-certificates.crt")
        }
        #expect(error?.isConnectionLost == true)
        #expect(error?.message == "SSL error: certificate verify failed")
    }

    @Test(
        "Without a choice in the URL, a server on another machine has to prove its name; on this one nothing changes",
        arguments: [
            ("db1", ["verify-full"]), ("db1,db2", ["verify-full", "verify-full"]), ("10.0.0.1", ["verify-full"]),
            ("[2001:db8::1]", ["verify-full"]), ("127.db1", ["verify-full"]), ("localhost.db1", ["verify-full"]),
            ("localhost,db1", ["prefer", "verify-full"]), ("127.0.0.2", ["prefer"]), ("[::1]", ["prefer"]),
            ("%2Frun%2Fpostgresql", ["prefer"]), ("", ["prefer"]),
        ])
    func defaultMode(host: String, modes: [String]) throws {
        #expect(try self.modes(of: "postgresql://user@\(host)/x") == modes)
        for mode in ["disable", "prefer", "require", "verify-ca"] {
            let chosen = try self.modes(of: "postgresql://user@\(host)/x?sslmode=\(mode)")
            #expect(chosen == modes.map { _ in mode })
        }
        // A name of this machine with the address of another, and the reverse: the connection goes to the address.
        #expect(try self.modes(of: "postgresql://localhost/x?hostaddr=10.0.0.1") == ["verify-full"])
        #expect(try self.modes(of: "postgresql://db1/x?hostaddr=127.0.0.1") == ["prefer"])
    }

    private func modes(of url: String) throws -> [String?] {
        try ServerList(url, ConnectionOptions()).servers.map { server in
            server.first { $0.keyword == "sslmode" }?.value
        }
    }
}

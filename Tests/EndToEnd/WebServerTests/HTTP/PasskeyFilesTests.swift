import GatehouseServer
import JOSE
import JSON
import TestSupport
import Testing

@testable import ServerSupport

/// What phones, browsers and password managers look up at the domain of the passkeys.
@Suite("The files about passkeys")
struct PasskeyFilesTests {
    private static let hash = [UInt8](repeating: 0xAB, count: 32)
    private static let settings = [
        "PASSKEY_RP_ID": "localhost", "PASSKEY_ORIGINS": "https://localhost,https://example.co.uk,https://example.de",
        "PASSKEY_APPS": "ABCDE12345.com.example.app, ABCDE12345.com.example.other, "
            + "android:apk-key-hash:\(Base64URL.encode(hash))@com.example.app, "
            + "android:apk-key-hash:\(Base64URL.encode([UInt8](repeating: 1, count: 32)))@com.example.app",
        "PASSKEY_ENROLL_URL": "https://localhost/passkeys/new", "PASSKEY_MANAGE_URL": "https://localhost/passkeys",
    ]
    private static let nginx = Result { try ServerBehindNginx { $0.merge(settings) { $1 } } }

    private static let files: [(path: String, content: JSONValue)] = [
        (
            "/.well-known/apple-app-site-association",
            ["webcredentials": ["apps": ["ABCDE12345.com.example.app", "ABCDE12345.com.example.other"]]]
        ),
        (
            "/.well-known/assetlinks.json",
            [
                [
                    "relation": ["delegate_permission/common.get_login_creds"],
                    "target": [
                        "namespace": "android_app", "package_name": "com.example.app",
                        "sha256_cert_fingerprints": [
                            .string([String](repeating: "AB", count: 32).joined(separator: ":")),
                            .string([String](repeating: "01", count: 32).joined(separator: ":")),
                        ],
                    ],
                ]
            ]
        ),
        ("/.well-known/webauthn", ["origins": ["https://example.co.uk", "https://example.de"]]),
        (
            "/.well-known/passkey-endpoints",
            ["enroll": "https://localhost/passkeys/new", "manage": "https://localhost/passkeys"]
        ),
    ]

    @Test("Each is JSON at its path, without a token and without a redirect, as Apple's servers ask")
    func published() throws {
        let server = try Self.nginx.get()
        for (path, content) in Self.files {
            let response = try server.send(.get(path))
            #expect(response.status == 200 && response.header("content-type") == "application/json", "\(path)")
            #expect(try JSONValue(parsing: response.body) == content)
            var conditional = TestRequest.get(path)
            conditional.headers.append(("If-None-Match", try #require(response.header("etag"))))
            #expect(try server.send(conditional).status == 304)
            #expect(try server.send(TestRequest(method: "POST", path: path)).status == 405)
            let url = "https://localhost:\(server.port)" + path
            #expect(
                FileProbe(asking: url, authorities: server.certificate)
                    == .answered(status: 200, type: "application/json", body: response.body))
            guard case .unreachable = FileProbe(asking: url) else {
                return #expect(Bool(false), "a certificate that nobody trusts")
            }
        }
    }

    @Test("A file with nothing in it is 404, and the one of pages is then empty")
    func nothing() throws {
        let server = try InProcessServer { $0["PASSKEY_RP_ID"] = "example.com" }
        for (path, _) in Self.files.dropLast() { expectProblem(server.send(.get(path)), 404, "not_found") }
        #expect(server.send(.get("/.well-known/passkey-endpoints")).json == [:])
        let off = try SharedServers.standard(.nginx)
        for (path, _) in Self.files { expectProblem(try off.send(.get(path)), 404, "not_found") }
    }
}

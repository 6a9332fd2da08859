import Foundation
import TestSupport
import Testing

@testable import ServerSupport

/// With `satisfy any`, nginx lets a request pass that satisfies one of several checks, such as
/// `allow` instead of a token.
@Suite("Guarded locations with satisfy any")
struct GuardSatisfyTests {
    private let upstream: UpstreamServer
    private let guarded: String

    init() throws {
        upstream = try UpstreamServer.echoing()
        guarded = "include snippets/gatehouse-guard.conf; proxy_pass http://127.0.0.1:\(upstream.port);"
    }

    @Test("satisfy any around a guarded location does not open it")
    func outerBlocks() throws {
        let server = try ServerBehindNginx(
            locations: """
                satisfy any;
                allow all;
                location /server/ { \(guarded) }
                location /outer/ {
                    satisfy any;
                    allow all;
                    location /outer/inner/ { \(guarded) }
                    location /outer/inner/admin/ { set $gatehouse_role ADMIN; \(guarded) }
                }
                location /allowed/ { allow all; \(guarded) }
                location /denied/ { deny all; \(guarded) }
                """)
        let token = try server.devLogin("satisfy@example.com").accessToken
        for path in ["/server/", "/outer/inner/", "/outer/inner/admin/", "/allowed/"] {
            for bearer in [nil, "x"] {
                #expect(try server.send(.get(path, bearer: bearer)).status == 401, "\(path)")
            }
            #expect(upstream.requests(at: path).isEmpty)
        }
        #expect(try server.send(.get("/server/", bearer: token)).status == 200)
        #expect(try server.send(.get("/outer/inner/admin/", bearer: token)).code == "insufficient_role")
        // Every check must pass, so the token alone is not enough either.
        #expect(try server.send(.get("/denied/", bearer: token)).code == "forbidden")
    }

    /// The operator configures this explicitly, and Guard.md describes it.
    @Test("A nested location without its own guard is open, and the service gets no user")
    func nested() throws {
        let plain = "proxy_pass http://127.0.0.1:\(upstream.port);"
        let server = try ServerBehindNginx(
            locations: """
                location /outer/ {
                    \(guarded)
                    location /outer/inherits/ { \(plain) }
                    location /outer/satisfy/ { satisfy any; allow all; \(plain) }
                    location /outer/off/ { auth_request off; \(plain) }
                }
                """)
        let token = try server.devLogin("nested@example.com").accessToken
        for bearer in [nil, "x", token] {
            #expect(try server.send(.get("/outer/inherits/", bearer: bearer)).code == "insufficient_role")
        }
        for path in ["/outer/satisfy/", "/outer/off/"] {
            var request = TestRequest.get(path)
            request.headers += [("X-User-Id", "forged"), ("X-User-Role", "forged"), ("Remote-User", "forged")]
            let arrived = try #require(UpstreamRequest(whole: try server.send(request).body))
            #expect(!arrived.text.contains("forged"))
            #expect(arrived.values(of: "X-User-Id") == [])
        }
    }

    @Test("nginx refuses satisfy any, auth_request off and a size of the header table inside a guarded location")
    func insideLocation() throws {
        let server = try ServerBehindNginx()
        for line in [
            "satisfy any;", "auth_request off;", "proxy_headers_hash_max_size 512;",
            "proxy_headers_hash_bucket_size 512;",
        ] {
            let name = line.prefix { $0 != " " }
            for body in ["\(line) allow all; \(guarded)", "\(guarded) \(line)"] {
                try "location /own/ { \(body) }".write(
                    toFile: server.prefix + "/gatehouse.d/own.conf", atomically: true, encoding: .utf8)
                let outcome = try Shell.outcome(of: ["nginx", "-t", "-p", server.prefix, "-c", "nginx.conf"])
                #expect(outcome.status != 0)
                #expect(outcome.errorOutput.contains("\"\(name)\" directive is duplicate"))
            }
        }
    }
}

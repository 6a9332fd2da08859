import Foundation
import JSON
import TestSupport
import Testing

@testable import ServerSupport

/// The service trusts the identity headers, so a client must not be able to set them.
@Suite("Identity headers from clients")
struct GuardHeaderTests {
    private let fixture: GuardFixture

    init() throws { fixture = try GuardFixture.shared.get() }

    private static let names = [
        "Remote-User", "Remote-Groups", "Remote-Name", "Remote-Email", "X-Remote-User", "X-Remote-Group",
        "X-Auth-Request-User", "X-Auth-Request-Email", "X-Auth-Request-Groups", "X-Auth-Request-Preferred-Username",
        "X-Auth-Request-Access-Token", "X-Auth-Request-Redirect", "X-Forwarded-User", "X-Forwarded-Email",
        "X-Forwarded-Groups", "X-Forwarded-Preferred-Username", "X-Forwarded-Access-Token", "X-User-Id", "X-User-Role",
        "X-User-Email", "X-User-Name", "X-User-Roles", "X-User-Groups", "X-User-Permissions", "X-User-Is-Admin",
        "X-User",
        "X-Username", "X-Role", "X-Roles", "X-Groups", "X-Session-Id", "X-Auth-Time",
        "X-Authenticated-User", "X-WebAuth-User",
        "X-Consumer-Username", "X-authentik-username", "X-Goog-Authenticated-User-Email", "X-Amzn-Oidc-Identity",
        "X-Ms-Client-Principal", "Cf-Access-Authenticated-User-Email", "Tailscale-User-Login", "Impersonate-User",
        "X-SSL-Client-Verify", "X-Forwarded-Client-Cert", "True-Client-IP", "CF-Connecting-IP", "Fastly-Client-IP",
        "X-Client-IP", "X-Cluster-Client-IP", "X-Real-IP", "Forwarded", "X-Forwarded-For", "X-Forwarded-Host",
        "X-Forwarded-Server", "X-Forwarded-Port", "X-Forwarded-Proto", "X-Forwarded-Scheme", "X-Forwarded-Prefix",
        "X-Forwarded-Uri", "X-Forwarded-Method", "X-Original-URL", "X-Original-Uri", "X-Original-Method",
        "X-Original-Host",
        "X-Rewrite-URL", "X-HTTP-Method-Override", "X-HTTP-Method", "X-Method-Override", "X-Script-Name", "Proxy",
        "X-Middleware-Subrequest", "Authorization", "X-Request-Id", "X-Scope-OrgID", "X-Hasura-Role",
        "X-Hasura-User-Id", "X-Hasura-Admin-Secret", "X-Hasura-Org-Id", "X-Endpoint-API-UserInfo",
        "X-Apigateway-Api-Userinfo", "X-JWT-Payload", "X-JWT-Assertion", "X-authentik-entitlements", "X-Tenant-Id",
        "X-Org-Id", "X-Organization-Id", "X-Account-Id", "X-Customer-Id", "X-User-Plan", "X-User-Level",
        "X-User-Permission",
    ]

    /// The header names in the snippet.
    private static func removed() throws -> [String] {
        let snippet = Executable.root + "/nginx/snippets/gatehouse-guard-headers.conf"
        return try String(contentsOfFile: snippet, encoding: .utf8).split(separator: "\n")
            .filter { $0.hasPrefix("proxy_set_header ") }.map { String($0.split(separator: " ")[1]) }
    }

    private func arrived(_ names: [String], at path: String = "/notes/headers") throws -> UpstreamRequest {
        var request = TestRequest.get(path, bearer: try fixture.token(of: "headers@example.com"))
        request.headers += names.filter { $0.lowercased() != "authorization" }.map { ($0, "forged") }
        let response = try fixture.server.send(request, options: ["--http1.1"])
        #expect(response.status == 200)
        return try #require(UpstreamRequest(whole: response.body))
    }

    @Test("No well-known identity header of a client reaches the service", arguments: [false, true])
    func wellKnown(_ inLowerCase: Bool) throws {
        let arrived = try arrived(Self.names.map { inLowerCase ? $0.lowercased() : $0 })
        #expect(!arrived.text.contains("forged"))
        let setByGuard = [
            "X-User-Id", "X-User-Role", "X-Session-Id", "X-Auth-Time", "X-Request-Id", "X-Forwarded-For",
            "X-Forwarded-Proto",
        ]
        for name in setByGuard { #expect(arrived.values(of: name).count == 1, "\(name)") }
        for name in Self.names where !setByGuard.contains(name) { #expect(arrived.values(of: name).isEmpty, "\(name)") }
    }

    @Test("Each line of the snippet removes one header, and other headers pass")
    func everyLine() throws {
        let removed = try Self.removed()
        #expect(removed.count > 150)
        #expect(Set(removed.map { $0.lowercased() }).count == removed.count)
        let own = ["X-Legacy-User", "X-User-Agent", "X-Csrf-Token", "Accept-Language"]
        for start in stride(from: 0, to: removed.count, by: 50) {
            let arrived = try arrived(Array(removed[start..<min(start + 50, removed.count)]) + own)
            #expect(arrived.headers.filter { $0.value.contains("forged") }.map(\.name) == own)
        }
    }

    /// nginx merges the header lines of the location and of its included files, and drops the lines of outer blocks.
    @Test("A location may set its own headers, and the guard overrides the headers of the server block")
    func merged() throws {
        let pass = "proxy_pass http://127.0.0.1:\(fixture.upstream.port);"
        let own = "proxy_set_header X-Forwarded-Prefix /own;"
        let server = try ServerBehindNginx(
            locations: """
                proxy_set_header X-User-Id forged;
                proxy_set_header X-Outside forged;
                location /before/ { \(own) include snippets/gatehouse-guard.conf; \(pass) }
                location /after/ { include snippets/gatehouse-guard.conf; \(pass) \(own) }
                """)
        let token = try server.devLogin("merged@example.com").accessToken
        for path in ["/before/", "/after/"] {
            var request = TestRequest.get(path, bearer: token)
            request.headers += [("X-Forwarded-Prefix", "/forged"), ("X-User-Email", "forged")]
            let arrived = try #require(UpstreamRequest(whole: try server.send(request).body))
            #expect(!arrived.text.contains("forged"))
            #expect(arrived.values(of: "X-Forwarded-Prefix") == ["/own"])
            #expect(arrived.values(of: "X-User-Id").count == 1)
        }
    }

    /// This configuration needs no list of header names.
    @Test("A location that passes only named headers passes no others")
    func namedOnly() throws {
        let server = try ServerBehindNginx(
            locations: """
                location /named/ {
                    set $gatehouse_cookie "";
                    include snippets/gatehouse-guard.conf;
                    proxy_pass_request_headers off;
                    proxy_set_header Accept $http_accept;
                    proxy_set_header Content-Type $content_type;
                    proxy_pass http://127.0.0.1:\(fixture.upstream.port);
                }
                """)
        let token = try server.devLogin("named@example.com").accessToken
        var request = TestRequest.post("/named/", ["text": "kept"], bearer: token)
        let other = ["Remote-User", "X-User-Id", "X-Legacy-User", "X-Unheard-Of", "Cookie"]
        request.headers += [("Accept", "text/x")] + other.map { ($0, "forged") }
        let response = try server.send(request)
        #expect(response.status == 200)
        let arrived = try #require(UpstreamRequest(whole: response.body))
        #expect(!arrived.text.contains("forged"))
        #expect(
            Set(arrived.headers.map { $0.name.lowercased() }) == [
                "host", "x-user-id", "x-user-role", "x-session-id", "x-auth-time", "x-request-id",
                "x-forwarded-for", "x-forwarded-proto", "accept", "content-type", "content-length",
            ])
        #expect(arrived.values(of: "Accept") == ["text/x"])
        #expect(arrived.values(of: "Content-Type").first?.hasPrefix("application/json") == true)
        #expect(String(decoding: arrived.body, as: UTF8.self).contains("kept"))
    }

    @Test("The configuration causes no warnings of nginx")
    func silent() throws {
        let outcome = try Shell.outcome(of: [
            "nginx", "-t", "-q", "-p", fixture.server.prefix, "-c", "nginx.conf",
        ])
        #expect(outcome.status == 0)
        #expect(outcome.errorOutput == "")
    }
}

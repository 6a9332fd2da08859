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

    /// The headers that the snippet removes: a line that is missing there fails a test, and so does one that is missing here.
    private static let removed = """
        Remote-User Remote-Groups Remote-Name Remote-Email X-Remote-User X-Remote-User-Id X-Remote-Uid X-Remote-Name
        X-Remote-Email X-Remote-Group X-Remote-Groups X-Remote-Role X-Remote-Roles
        X-Auth-Request-User X-Auth-Request-Email X-Auth-Request-Groups X-Auth-Request-Roles
        X-Auth-Request-Preferred-Username X-Auth-Request-Access-Token X-Auth-Request-Id-Token X-Auth-Request-Token
        X-Auth-Request-Redirect X-Forwarded-User X-Forwarded-User-Id X-Forwarded-Email X-Forwarded-Groups
        X-Forwarded-Roles X-Forwarded-Preferred-Username X-Forwarded-Access-Token X-Forwarded-Id-Token
        X-User X-UserId X-User-Admin X-User-Attributes X-User-Claims X-User-Data X-User-Display-Name X-User-Email
        X-User-Email-Verified X-User-First-Name X-User-Full-Name X-User-Group X-User-Groups X-User-Info
        X-User-Is-Admin X-User-Last-Name X-User-Login X-User-Name X-User-Org X-User-Organization X-User-Permissions
        X-User-Phone X-User-Privileges X-User-Roles X-User-Scope X-User-Scopes X-User-Session X-User-Status
        X-User-Sub X-User-Subject X-User-Tenant X-User-Tenant-Id X-User-Token X-User-Type X-User-Uid X-User-Username
        X-User-UUID X-User-Account X-User-Account-Id X-User-Authorities X-User-Entitlements X-User-Identity
        X-User-Jwt X-User-Level X-User-Org-Id X-User-Organization-Id X-User-Payload X-User-Permission X-User-Plan
        X-User-Profile X-User-Principal X-User-Customer-Id X-User-Team X-User-Teams X-User-Tier X-Username X-Group
        X-Groups X-Role X-Roles X-Permissions X-Permission X-Scope X-Scopes X-Claims X-Principal X-Subject
        X-Identity X-Is-Admin X-Admin X-Auth-User X-Auth-User-Id X-Auth-Username X-Auth-Name X-Auth-Email
        X-Auth-Groups X-Auth-Role X-Auth-Roles X-Auth-Group X-Auth-Scope X-Auth-Scopes X-Auth-Claims X-Auth-Subject
        X-Auth-Token X-Access-Token X-Id-Token X-Jwt-Claims X-JWT-Payload X-JWT-Assertion X-JWT-Sub
        X-Authenticated-User X-Authenticated-UserId X-Authenticated-Email X-Authenticated-Groups
        X-Authenticated-Scope X-Impersonate-User Impersonate-User Impersonate-Group Impersonate-Uid
        X-WebAuth-User X-WebAuth-Name X-WebAuth-Email X-WebAuth-Groups X-WebAuth-Role X-Consumer-Id
        X-Consumer-Custom-Id X-Consumer-Username X-Consumer-Groups X-Credential-Identifier X-Anonymous-Consumer
        X-Userinfo X-authentik-username X-authentik-groups X-authentik-email X-authentik-name X-authentik-uid
        X-authentik-entitlements X-authentik-jwt X-authentik-meta-jwks X-authentik-meta-outpost
        X-authentik-meta-provider X-authentik-meta-app X-authentik-meta-version X-Vouch-User X-Vouch-Idp-AccessToken
        X-Vouch-Idp-IdToken X-Pomerium-Jwt-Assertion X-Pomerium-Claim-User X-Pomerium-Claim-Email
        X-Pomerium-Claim-Groups Tailscale-User-Login Tailscale-User-Name Tailscale-User-Profile-Pic
        X-Hasura-Admin-Secret X-Hasura-Role X-Hasura-Allowed-Roles X-Hasura-Default-Role X-Hasura-User-Id
        X-Hasura-Org-Id X-Hasura-Tenant-Id
        X-Scope-OrgID X-Tenant X-Tenant-Id X-TenantId X-Tenant-Name X-Org X-Org-Id X-OrgId X-Org-Role X-Organization
        X-Organization-Id X-Organisation-Id X-Account X-Account-Id X-AccountId X-Customer X-Customer-Id X-CustomerId
        X-Company-Id X-Team-Id X-Workspace-Id X-Project-Id X-Grafana-Org-Id
        X-Goog-Authenticated-User-Email X-Goog-Authenticated-User-Id X-Goog-Iap-Jwt-Assertion X-Amzn-Oidc-Identity
        X-Amzn-Oidc-Data X-Amzn-Oidc-Accesstoken X-Ms-Client-Principal X-Ms-Client-Principal-Id
        X-Ms-Client-Principal-Idp X-Ms-Client-Principal-Name Cf-Access-Authenticated-User-Email
        Cf-Access-Jwt-Assertion X-Endpoint-API-UserInfo X-Apigateway-Api-Userinfo
        X-Client-Cert X-Client-DN X-Client-Verify X-SSL-Client-Cert X-SSL-Client-CN X-SSL-Client-DN
        X-SSL-Client-S-DN X-SSL-Client-Verify SSL-Client-Cert SSL-Client-S-DN SSL-Client-Verify
        X-Forwarded-Client-Cert X-Forwarded-Tls-Client-Cert X-Forwarded-Tls-Client-Cert-Info X-ARR-ClientCert
        Forwarded Forwarded-For X-Forwarded X-Real-IP True-Client-IP Client-IP X-Client-IP X-Cluster-Client-IP
        X-Originating-IP X-Original-Forwarded-For X-Remote-IP X-Remote-Addr X-ProxyUser-Ip Proxy-Client-IP
        WL-Proxy-Client-IP CF-Connecting-IP CF-Connecting-IPv6 CF-Pseudo-IPv4 Fastly-Client-IP Fly-Client-IP
        X-Azure-ClientIP X-Azure-SocketIP X-Appengine-User-IP X-Envoy-External-Address X-Nf-Client-Connection-Ip
        X-Vercel-Forwarded-For
        X-Host X-HTTP-Host-Override X-Forwarded-Host X-Forwarded-Server X-Forwarded-Port X-Forwarded-Scheme
        X-Forwarded-Protocol X-Forwarded-Ssl X-Forwarded-Prefix X-Forwarded-Path X-Forwarded-Uri X-Forwarded-Url
        X-Forwarded-Method X-Forwarded-By X-Original-Host X-Original-Method X-Original-Path X-Original-Uri
        X-Original-URL X-Rewrite-URL X-Envoy-Original-Path X-Script-Name X-Scheme X-Url-Scheme Front-End-Https
        X-HTTP-Method X-HTTP-Method-Override X-Method-Override
        Proxy X-Middleware-Subrequest X-Sendfile-Type X-Accel-Mapping
        """.split(whereSeparator: \.isWhitespace).map(String.init)

    /// Those that the guard sets or removes in other places.
    private static let others = [
        "X-User-Id", "X-User-Role", "X-Session-Id", "X-Auth-Time", "X-User-Acr", "X-Forwarded-For", "X-Forwarded-Proto",
        "Authorization", "X-Request-Id",
    ]

    private static let names = removed + others

    /// The header names in the snippet.
    private static func inSnippet() throws -> [String] {
        let snippet = Executable.root + "/nginx/snippets/gatehouse-drop-client-headers.conf"
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

    @Test("No header that a service might trust arrives from a client", arguments: [false, true])
    func wellKnown(_ inLowerCase: Bool) throws {
        let setByGuard = [
            "X-User-Id", "X-User-Role", "X-Session-Id", "X-Auth-Time", "X-Request-Id", "X-Forwarded-For",
            "X-Forwarded-Proto",
        ]
        // More would not fit into the headers that nginx accepts.
        for start in stride(from: 0, to: Self.names.count, by: 50) {
            let names = Self.names[start..<min(start + 50, Self.names.count)].map { inLowerCase ? $0.lowercased() : $0 }
            let own = ["X-Legacy-User", "X-User-Agent", "X-Csrf-Token", "Accept-Language"]
            let arrived = try arrived(names + own)
            #expect(arrived.headers.filter { $0.value.contains("forged") }.map(\.name) == own)
            for name in setByGuard { #expect(arrived.values(of: name).count == 1, "\(name)") }
        }
    }

    @Test("The snippet removes these headers, each once")
    func everyLine() throws {
        #expect(try Self.inSnippet().sorted() == Self.removed.sorted())
        #expect(Set(Self.names.map { $0.lowercased() }).count == Self.names.count)
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

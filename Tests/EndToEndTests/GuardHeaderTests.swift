import Foundation
import JSON
import TestSupport
import Testing

/// A service behind the guard believes what nginx tells it. A client must not be able to say it, too.
@Suite("A header that a guarded service might believe")
struct GuardHeaderTests {
    private let stand: GuardedStand

    init() throws { stand = try GuardedStand.shared.get() }

    private static let names = [
        "Remote-User", "Remote-Groups", "Remote-Name", "Remote-Email", "X-Remote-User", "X-Remote-Group",
        "X-Auth-Request-User", "X-Auth-Request-Email", "X-Auth-Request-Groups", "X-Auth-Request-Preferred-Username",
        "X-Auth-Request-Access-Token", "X-Auth-Request-Redirect", "X-Forwarded-User", "X-Forwarded-Email",
        "X-Forwarded-Groups", "X-Forwarded-Preferred-Username", "X-Forwarded-Access-Token", "X-User-Id", "X-User-Role",
        "X-User-Email", "X-User-Name", "X-User-Roles", "X-User-Groups", "X-User-Permissions", "X-User-Is-Admin",
        "X-User",
        "X-Username", "X-Role", "X-Roles", "X-Groups", "X-Session-Id", "X-Authenticated-User", "X-WebAuth-User",
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

    /// The names that the snippet removes, as they stand there.
    private static func removed() throws -> [String] {
        let snippet = Executable.root + "/nginx/snippets/gatehouse-guard-headers.conf"
        return try String(contentsOfFile: snippet, encoding: .utf8).split(separator: "\n")
            .filter { $0.hasPrefix("proxy_set_header ") }.map { String($0.split(separator: " ")[1]) }
    }

    private func arrived(_ names: [String], at path: String = "/notes/headers") throws -> UpstreamRequest {
        var call = Call.get(path, bearer: try stand.token(of: "headers@example.com"))
        call.headers += names.filter { $0.lowercased() != "authorization" }.map { ($0, "forged") }
        let answer = try stand.house.send(call, options: ["--http1.1"])
        #expect(answer.status == 200)
        return try #require(UpstreamRequest(whole: answer.body))
    }

    @Test("does not arrive from the client, in any of the well-known names", arguments: [false, true])
    func wellKnown(_ inLowerCase: Bool) throws {
        let arrived = try arrived(Self.names.map { inLowerCase ? $0.lowercased() : $0 })
        #expect(!arrived.text.contains("forged"))
        let told = ["X-User-Id", "X-User-Role", "X-Session-Id", "X-Request-Id", "X-Forwarded-For", "X-Forwarded-Proto"]
        for name in told { #expect(arrived.values(of: name).count == 1, "\(name)") }
        for name in Self.names where !told.contains(name) { #expect(arrived.values(of: name).isEmpty, "\(name)") }
    }

    @Test("is removed by each line of the snippet, and no other header is")
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

    /// nginx adds the lines of a location to those that the location includes, and forgets those around it.
    @Test("is the operator's where the location sets it, and the guard's where the server around it does")
    func merged() throws {
        let pass = "proxy_pass http://127.0.0.1:\(stand.upstream.port);"
        let own = "proxy_set_header X-Forwarded-Prefix /own;"
        let house = try FrontedHouse(
            locations: """
                proxy_set_header X-User-Id forged;
                proxy_set_header X-Outside forged;
                location /before/ { \(own) include snippets/gatehouse-guard.conf; \(pass) }
                location /after/ { include snippets/gatehouse-guard.conf; \(pass) \(own) }
                """)
        let token = try house.devLogin("merged@example.com").accessToken
        for path in ["/before/", "/after/"] {
            var call = Call.get(path, bearer: token)
            call.headers += [("X-Forwarded-Prefix", "/forged"), ("X-User-Email", "forged")]
            let arrived = try #require(UpstreamRequest(whole: try house.send(call).body))
            #expect(!arrived.text.contains("forged"))
            #expect(arrived.values(of: "X-Forwarded-Prefix") == ["/own"])
            #expect(arrived.values(of: "X-User-Id").count == 1)
        }
    }

    /// The cure that needs no list.
    @Test("does not arrive under any name where the location passes only headers that it names")
    func namedOnly() throws {
        let house = try FrontedHouse(
            locations: """
                location /named/ {
                    include snippets/gatehouse-guard.conf;
                    proxy_pass_request_headers off;
                    proxy_set_header Accept $http_accept;
                    proxy_set_header Content-Type $content_type;
                    proxy_pass http://127.0.0.1:\(stand.upstream.port);
                }
                """)
        let token = try house.devLogin("named@example.com").accessToken
        var call = Call.post("/named/", ["text": "kept"], bearer: token)
        let other = ["Remote-User", "X-User-Id", "X-Legacy-User", "X-Unheard-Of", "Cookie"]
        call.headers += [("Accept", "text/x")] + other.map { ($0, "forged") }
        let answer = try house.send(call)
        #expect(answer.status == 200)
        let arrived = try #require(UpstreamRequest(whole: answer.body))
        #expect(!arrived.text.contains("forged"))
        #expect(
            Set(arrived.headers.map { $0.name.lowercased() }) == [
                "host", "x-user-id", "x-user-role", "x-session-id", "x-request-id", "x-forwarded-for",
                "x-forwarded-proto", "accept", "content-type", "content-length",
            ])
        #expect(arrived.values(of: "Accept") == ["text/x"])
        #expect(arrived.values(of: "Content-Type").first?.hasPrefix("application/json") == true)
        #expect(String(decoding: arrived.body, as: UTF8.self).contains("kept"))
    }

    @Test(
        "is removed with a table that the location cannot resize: nginx refuses that as a duplicate",
        arguments: ["proxy_headers_hash_max_size", "proxy_headers_hash_bucket_size"])
    func tableSize(_ name: String) throws {
        let house = try FrontedHouse()
        let location = "location /own/ { \(name) 512; include snippets/gatehouse-guard.conf; return 204; }"
        try location.write(toFile: house.prefix + "/gatehouse.d/own.conf", atomically: true, encoding: .utf8)
        let outcome = try Shell.outcome(of: ["nginx", "-t", "-p", house.prefix, "-c", "nginx.conf"])
        #expect(outcome.status != 0)
        #expect(outcome.complaint.contains("\"\(name)\" directive is duplicate"))
    }

    @Test("is no reason for nginx to complain about its configuration")
    func silent() throws {
        let outcome = try Shell.outcome(of: ["nginx", "-t", "-q", "-p", stand.house.prefix, "-c", "nginx.conf"])
        #expect(outcome.status == 0)
        #expect(outcome.complaint == "")
    }
}

import Foundation
import JSON
import TestSupport
import Testing

@testable import ServerSupport

@Suite("The nginx configuration")
struct NginxTests {
    @Test("A responder that is down gives a 502 problem document until it is back")
    func responderDown() throws {
        let server = try ServerBehindNginx()
        server.backend.process.signal(SIGKILL)
        #expect(server.backend.process.wait() != nil)
        let gone = try server.send(.get("/api/users/me"))
        expectProblem(gone, 502, "bad_gateway")
        #expect(gone.header("retry-after") != nil)
        try server.backend.restart()
        #expect(try server.devLogin("back@example.com").status == 200)
    }

    @Test("Logins are rate limited by address, other paths are not")
    func rate() throws {
        let server = try ServerBehindNginx(values: ["LOGIN_RATE": "1r/m", "LOGIN_BURST": "2"])
        let responses = try (0..<5).map { _ in try server.devLogin("often@example.com") }
        #expect(responses.map(\.status) == [200, 200, 200, 429, 429])
        expectProblem(responses[4], 429, "too_many_requests")
        #expect(responses[4].header("retry-after") != nil)
        #expect(try server.me(responses[0].accessToken).status == 200)
        #expect(try server.refresh(responses[0].refreshToken).status == 200)
    }

    /// Over HTTP/2 a worker that shuts down sends GOAWAY, and clients retry. curl retries only with this option.
    @Test(
        "A reload under load loses no response",
        arguments: [["--http1.1"], ["--http2", "--retry", "3", "--retry-all-errors"]])
    func reload(_ options: [String]) throws {
        let server = try ServerBehindNginx()
        let token = try server.devLogin("reload@example.com").accessToken
        let reloading = Background {
            for _ in 0..<5 {
                let before = server.workers
                server.nginx.signal(SIGHUP)
                // Those before end when they have answered.
                _ = Eventually.holds { !server.workers.isSubset(of: before) }
            }
            return []
        }
        let responses = try Concurrently.run(4) { _ in
            try (0..<15).map { _ in try server.send(.get("/api/users/me", bearer: token), options: options).status
            }
        }
        _ = reloading.result()
        #expect(responses.flatMap { $0 }.allSatisfy { $0 == 200 })
    }

    @Test("Headers that a client must not set are not passed on")
    func headers() throws {
        let server = try SharedServers.standard(.nginx)
        let login = try server.devLogin("headers@example.com")
        var request = TestRequest.get("/api/users/me", bearer: login.accessToken)
        request.headers += [("X-Request-Id", "chosen"), ("X-User-Id", "user_1"), ("Proxy", "http://evil.example")]
        let response = try server.send(request)
        #expect(response.status == 200)
        #expect(response.header("x-request-id") != "chosen")
        #expect(response.count(ofHeader: "x-request-id") == 1)
    }

    @Test("Security headers are sent once each, also with errors")
    func securityHeaders() throws {
        let server = try SharedServers.standard(.nginx)
        for response in [try server.send(.get("/")), try server.send(.get("/api/users/me"))] {
            for (name, value) in [
                ("x-content-type-options", "nosniff"), ("referrer-policy", "no-referrer"), ("x-frame-options", "DENY"),
            ] {
                #expect(response.header(name) == value)
                #expect(response.count(ofHeader: name) == 1)
            }
            #expect(response.header("strict-transport-security") == "max-age=300")
            #expect(response.header("server") == "nginx")
        }
    }

    @Test("HTTP/2 and TLS 1.2 are supported, older TLS is not")
    func protocols() throws {
        let server = try SharedServers.nginx.get()
        func version(_ options: [String]) -> String? {
            try? Shell.run(
                ["curl", "-sk", "-o", "/dev/null", "-w", "%{http_version}"] + options + [
                    "https://localhost:\(server.port)/"
                ]
            ).reduce(into: "") { $0.append(Character(UnicodeScalar($1))) }
        }
        #expect(version([]) == "2")
        #expect(version(["--http1.1", "--tls-max", "1.2"]) == "1.1")
        #expect(version(["--tls-max", "1.1", "--ciphers", "DEFAULT@SECLEVEL=0"]) == nil)
    }

    @Test("HSTS includes subdomains where configured")
    func subdomains() throws {
        let server = try ServerBehindNginx(values: ["HSTS_SUBDOMAINS": "on"])
        for path in ["/", "/api/users/me"] {
            let policy = try server.send(.get(path)).header("strict-transport-security")
            #expect(policy == "max-age=300; includeSubDomains")
        }
    }
}

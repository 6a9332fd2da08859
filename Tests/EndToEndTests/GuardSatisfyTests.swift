import Foundation
import TestSupport
import Testing

/// nginx's `satisfy any` lets a request in that passes one check of several: an `allow` instead of a token.
@Suite("A guarded location where another check is enough")
struct GuardSatisfyTests {
    private let upstream: Upstream
    private let guarded: String

    init() throws {
        upstream = try Upstream.echoing()
        guarded = "include snippets/gatehouse-guard.conf; proxy_pass http://127.0.0.1:\(upstream.port);"
    }

    @Test("stays shut, whether a location or the server around it says so")
    func around() throws {
        let house = try FrontedHouse(
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
        let token = try house.devLogin("satisfy@example.com").accessToken
        for path in ["/server/", "/outer/inner/", "/outer/inner/admin/", "/allowed/"] {
            for bearer in [nil, "x"] { #expect(try house.send(.get(path, bearer: bearer)).status == 401, "\(path)") }
            #expect(upstream.arrivals(at: path).isEmpty)
        }
        #expect(try house.send(.get("/server/", bearer: token)).status == 200)
        #expect(try house.send(.get("/outer/inner/admin/", bearer: token)).code == "insufficient_role")
        // Every check has to pass: the guard alone is not enough either.
        #expect(try house.send(.get("/denied/", bearer: token)).code == "forbidden")
    }

    /// Said on purpose by the operator, and in nginx/README.md.
    @Test("opens a nested location that has no guard of its own, and tells the service no user")
    func nested() throws {
        let plain = "proxy_pass http://127.0.0.1:\(upstream.port);"
        let house = try FrontedHouse(
            locations: """
                location /outer/ {
                    \(guarded)
                    location /outer/inherits/ { \(plain) }
                    location /outer/satisfy/ { satisfy any; allow all; \(plain) }
                    location /outer/off/ { auth_request off; \(plain) }
                }
                """)
        let token = try house.devLogin("nested@example.com").accessToken
        for bearer in [nil, "x", token] {
            #expect(try house.send(.get("/outer/inherits/", bearer: bearer)).code == "insufficient_role")
        }
        for path in ["/outer/satisfy/", "/outer/off/"] {
            var call = Call.get(path)
            call.headers += [("X-User-Id", "forged"), ("X-User-Role", "forged"), ("Remote-User", "forged")]
            let arrived = try #require(UpstreamRequest(whole: try house.send(call).body))
            #expect(!arrived.text.contains("forged"))
            #expect(arrived.values(of: "X-User-Id") == [])
        }
    }

    @Test("is refused by nginx where the location itself says so", arguments: ["satisfy any;", "auth_request off;"])
    func within(_ line: String) throws {
        let house = try FrontedHouse()
        for location in ["location /own/ { \(line) allow all; \(guarded) }", "location /own/ { \(guarded) \(line) }"] {
            try location.write(toFile: house.prefix + "/gatehouse.d/own.conf", atomically: true, encoding: .utf8)
            let outcome = try Shell.outcome(of: ["nginx", "-t", "-p", house.prefix, "-c", "nginx.conf"])
            #expect(outcome.status != 0)
            #expect(outcome.complaint.contains("is duplicate"))
        }
    }
}

import TestSupport
import Testing

@testable import ServerSupport

@Suite("A cache at a guarded location")
struct GuardCacheTests {
    @Test("gives an answer only to the user who got it first, and to no client without a token")
    func ownAnswers() throws {
        let upstream = try UpstreamServer.echoing()
        let server = try ServerBehindNginx(
            locations: """
                location /notes/ {
                    proxy_cache notes;
                    proxy_cache_valid any 10m;
                    include snippets/gatehouse-guard.conf;
                    proxy_pass http://127.0.0.1:\(upstream.port);
                }
                """,
            http: "proxy_cache_path cache keys_zone=notes:1m;")
        let tokens = try ["a@example.com", "b@example.com"].map { try server.devLogin($0) }
        for _ in 1...2 {
            for login in tokens {
                let response = try server.send(.get("/notes/1", bearer: login.accessToken))
                #expect(response.status == 200)
                #expect(String(decoding: response.body, as: UTF8.self).contains("X-User-Id: \(login.userID)"))
            }
            #expect(try server.send(.get("/notes/1")).status == 401)
        }
        #expect(upstream.requests(at: "/notes/1").count == 2, "the second answers come from the cache")
    }
}

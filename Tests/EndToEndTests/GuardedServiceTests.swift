import Foundation
import JSON
import TestSupport
import Testing

/// The two lines that guard a location of any other service.
@Suite("A guarded service")
struct GuardedServiceTests {
    private let house: FrontedHouse
    private let upstream: EchoUpstream

    init() throws {
        upstream = try EchoUpstream()
        let location = """
            location /notes/ {
                include snippets/gatehouse-guard.conf;
                proxy_pass http://127.0.0.1:\(upstream.port);
            }
            """
        house = try FrontedHouse(locations: location)
    }

    private func post(_ bearer: String?, body: String = "a note") -> Call {
        var call = Call.post("/notes/1", bearer: bearer)
        call.headers += [("X-User-Id", "user_forged"), ("X-User-Role", "ADMIN"), ("X-Session-Id", "sess_forged")]
        call.body = Array(body.utf8)
        return call
    }

    @Test("is told who asks, whatever the client says about it, and gets the body")
    func admitted() throws {
        let login = try house.devLogin("guarded@example.com")
        let answer = try house.send(post(login.accessToken, body: "ten notes"))
        let arrived = String(decoding: answer.body, as: UTF8.self)
        #expect(answer.status == 200)
        #expect(arrived.hasPrefix("POST /notes/1 "))
        #expect(arrived.hasSuffix("\r\n\r\nten notes"))
        let id = try #require(login["user"]?.object?["id"]?.string)
        #expect(arrived.contains("X-User-Id: \(id)\r\n"))
        #expect(arrived.contains("X-User-Role: USER\r\n"))
        #expect(!arrived.lowercased().contains("forged"))
        #expect(!arrived.contains("ADMIN"))
        #expect(!arrived.contains(login.accessToken))
    }

    @Test("is not asked by anybody else, who are told why in our shape")
    func refused() throws {
        let login = try house.devLogin("leaving@example.com")
        _ = try house.send(.post("/api/auth/logout", bearer: login.accessToken))
        for (bearer, code) in [
            (nil, "invalid_access_token"), ("x", "invalid_access_token"), (login.accessToken, "session_revoked"),
        ] {
            let answer = try house.send(post(bearer))
            #expect(answer.status == 401)
            #expect(answer.code == code)
            #expect(answer.header("content-type") == "application/problem+json")
            #expect(answer.count(ofHeader: "www-authenticate") == 1)
            #expect(answer.header("www-authenticate")?.hasPrefix("Bearer") == true)
        }
    }

    @Test("is closed while nobody can say who asks")
    func failsClosed() throws {
        let login = try house.devLogin("closed@example.com")
        house.served.process.signal(SIGKILL)
        #expect(house.served.process.wait() != nil)
        let answer = try house.send(post(login.accessToken))
        #expect(answer.status == 503)
        #expect(answer.code == "service_unavailable")
        #expect(answer.header("retry-after") != nil)
    }
}

import JSON
import TestSupport
import Testing

/// A client that asks over plain HTTP has shown its tokens to the network. A redirect would let it go on like that.
@Suite("Plain HTTP")
struct PlainHTTPTests {
    private static let house = Result { try FrontedHouse() }
    private let house: FrontedHouse

    init() throws { house = try Self.house.get() }

    private func ask(_ path: String, _ options: String...) throws -> Answer {
        Answer(
            parsing: try Shell.run(
                ["curl", "--silent", "--include", "--path-as-is", "--max-time", "20"] + options
                    + ["http://127.0.0.1:\(house.plainPort)\(path)"]))
    }

    @Test(
        "is refused for the API, and says what to do",
        arguments: [
            "/api", "/api/", "/api/users/me", "/api/users/me?x=1", "/api/nothing", "/api/auth/verify", "//api/users/me",
            "/%61pi/users/me", "/x/../api/users/me", "/api/../api/x",
        ])
    func refused(_ path: String) throws {
        let answer = try ask(path)
        expectProblem(answer, 403, "https_required")
        let detail = try #require(answer["detail"]?.string)
        for word in ["https", "log out"] { #expect(detail.lowercased().contains(word)) }
        #expect(answer["requestId"]?.string == answer.header("x-request-id"))
        #expect(answer.header("cache-control") == "no-store")
        // A challenge would ask for the token again; HSTS counts over TLS alone.
        for name in ["location", "www-authenticate", "strict-transport-security", "retry-after"] {
            #expect(answer.header(name) == nil, "\(name)")
        }
    }

    @Test("is refused for the API whatever is sent", arguments: ["POST", "PATCH", "DELETE", "OPTIONS", "PROPFIND"])
    func methods(_ method: String) throws {
        let token = try house.devLogin("plain@example.com").accessToken
        let answer = try ask(
            "/api/users/me", "--request", method, "--header", "Authorization: Bearer \(token)", "--data", "{}")
        expectProblem(answer, 403, "https_required")
        #expect(!String(decoding: answer.body, as: UTF8.self).contains(token))
        // Nothing was done with it: the responder was not asked.
        #expect(try house.me(token).status == 200)
    }

    @Test("is refused wherever a token is sent", arguments: ["/", "/knowledge/1", "/.well-known/jwks.json"])
    func tokens(_ path: String) throws {
        for value in ["Bearer x", "0"] {
            expectProblem(try ask(path, "--header", "Authorization: \(value)"), 403, "https_required")
        }
        #expect(try ask(path, "--header", "X-Other: x").status == 308)
    }

    @Test("is refused for the API in a line of the log that tells it from the responder's own refusals")
    func logged() throws {
        let id = try #require(try ask("/api/users/me").header("x-request-id"))
        func line() -> Substring? { house.accessLog.split(separator: "\n").first { $0.contains(id) } }
        #expect(Eventually.holds { line() != nil })
        for part in [#""path":"/api/users/me""#, #""status":403"#, #""upstreamStatus":"""#] {
            #expect(line()?.contains(part) == true, "\(part)")
        }
    }

    @Test("is refused without a body where HEAD asks")
    func head() throws {
        let answer = try ask("/api/users/me", "--head")
        #expect(answer.status == 403)
        #expect(answer.body == [])
    }

    @Test(
        "leads to HTTPS for everything else",
        arguments: ["/", "/apis", "/api-docs", "/knowledge/1?a=b", "/.well-known/jwks.json"])
    func redirected(_ path: String) throws {
        let answer = try ask(path)
        #expect(answer.status == 308)
        #expect(answer.header("location") == "https://localhost:\(house.port)\(path)")
        #expect(answer.header("strict-transport-security") == nil)
    }
}

import Foundation
import JSON
import TestSupport
import Testing

@Suite("The nginx that we ship")
struct FrontTests {
    @Test("says in our shape that the responder is gone, is back when it is back")
    func absent() throws {
        let house = try FrontedHouse()
        house.served.process.signal(SIGKILL)
        #expect(house.served.process.wait() != nil)
        let gone = try house.send(.get("/api/users/me"))
        try expectProblem(gone, 502, "bad_gateway")
        #expect(gone.header("retry-after") != nil)
        try house.served.restart()
        #expect(try house.devLogin("back@example.com").status == 200)
    }

    @Test("says in our shape that the responder does not answer")
    func stopped() throws {
        let house = try FrontedHouse(values: ["RESPONDER_TIMEOUT": "1s"])
        house.served.process.signal(SIGSTOP)
        let late = try house.send(.get("/api/users/me"))
        house.served.process.signal(SIGCONT)
        try expectProblem(late, 504, "gateway_timeout")
        #expect(late.header("retry-after") != nil)
        #expect(try house.devLogin("awake@example.com").status == 200)
    }

    @Test("limits the rate of logins by address, and lets other paths alone")
    func rate() throws {
        let house = try FrontedHouse(values: ["LOGIN_RATE": "1r/m", "LOGIN_BURST": "2"])
        let answers = try (0..<5).map { _ in try house.devLogin("often@example.com") }
        #expect(answers.map(\.status) == [200, 200, 200, 429, 429])
        try expectProblem(answers[4], 429, "too_many_requests")
        #expect(answers[4].header("retry-after") != nil)
        #expect(try house.me(answers[0].accessToken).status == 200)
        #expect(try house.refresh(answers[0].refreshToken).status == 200)
    }

    /// Over HTTP/2 a worker that ends says GOAWAY, and every client then asks again; curl has to be told to.
    @Test(
        "is reloaded under load without a lost answer",
        arguments: [["--http1.1"], ["--http2", "--retry", "3", "--retry-all-errors"]])
    func reload(_ options: [String]) throws {
        let house = try FrontedHouse()
        let token = try house.devLogin("reload@example.com").accessToken
        let reloading = Background {
            for _ in 0..<5 {
                house.nginx.signal(SIGHUP)
                usleep(150_000)
            }
            return []
        }
        let answers = try Crowd.of(4) { _ in
            try (0..<15).map { _ in try house.send(.get("/api/users/me", bearer: token), options: options).status }
        }
        _ = reloading.result()
        #expect(answers.flatMap { $0 }.allSatisfy { $0 == 200 })
    }

    @Test("passes no header on that a client must not set")
    func headers() throws {
        let house = try Houses.of(.nginx)
        let login = try house.devLogin("headers@example.com")
        var call = Call.get("/api/users/me", bearer: login.accessToken)
        call.headers += [("X-Request-Id", "chosen"), ("X-User-Id", "user_1"), ("Proxy", "http://evil.example")]
        let answer = try house.send(call)
        #expect(answer.status == 200)
        #expect(answer.header("x-request-id") != "chosen")
        #expect(answer.count(ofHeader: "x-request-id") == 1)
    }

    @Test("sends the headers that a browser or a phone is to obey, once each, also with errors")
    func securityHeaders() throws {
        let house = try Houses.of(.nginx)
        for answer in [try house.send(.get("/")), try house.send(.get("/api/users/me"))] {
            for (name, value) in [
                ("x-content-type-options", "nosniff"), ("referrer-policy", "no-referrer"), ("x-frame-options", "DENY"),
            ] {
                #expect(answer.header(name) == value)
                #expect(answer.count(ofHeader: name) == 1)
            }
            #expect(answer.header("strict-transport-security")?.hasPrefix("max-age=") == true)
            #expect(answer.header("server") == "nginx")
        }
    }

    @Test("speaks HTTP/2, TLS 1.2 and nothing older")
    func protocols() throws {
        let house = try FrontedHouse()
        func version(_ options: [String]) -> String? {
            try? Shell.run(
                ["curl", "-sk", "-o", "/dev/null", "-w", "%{http_version}"] + options + [
                    "https://localhost:\(house.port)/"
                ]
            ).reduce(into: "") { $0.append(Character(UnicodeScalar($1))) }
        }
        #expect(version([]) == "2")
        #expect(version(["--http1.1", "--tls-max", "1.2"]) == "1.1")
        #expect(version(["--tls-max", "1.1", "--ciphers", "DEFAULT@SECLEVEL=0"]) == nil)
    }

    @Test("says that names below its own are HTTPS only where it is told so", arguments: ["on", "off"])
    func subdomains(_ word: String) throws {
        let house = try FrontedHouse(values: ["HSTS_SUBDOMAINS": word])
        let expected = "max-age=300" + (word == "on" ? "; includeSubDomains" : "")
        for path in ["/", "/api/users/me"] {
            #expect(try house.send(.get(path)).header("strict-transport-security") == expected)
        }
    }

    @Test("is not rendered where that is misspelt", arguments: ["", "yes", "includeSubDomains"])
    func misspelt(_ word: String) throws {
        let folder = try TemporaryFolder()
        let outcome = try Shell.outcome(of: [
            Executable.root + "/deploy/lib/render-nginx", folder.file("nginx"), Executable.root + "/nginx/local.values",
            "RESPONDER=unix:/nowhere.sock", "HSTS_SUBDOMAINS=\(word)",
        ])
        #expect(outcome.status == 2)
        #expect(outcome.complaint.contains("HSTS_SUBDOMAINS"))
        #expect(!FileManager.default.fileExists(atPath: folder.file("nginx")))
    }

    @Test("writes no token into its log")
    func log() throws {
        let house = try FrontedHouse()
        let login = try house.devLogin("log@example.com")
        _ = try house.send(.get("/api/users/me?access_token=\(login.accessToken)"))
        _ = try house.me(login.accessToken)
        #expect(Eventually.holds { house.accessLog.contains("/api/users/me") })
        #expect(!house.accessLog.contains(login.accessToken))
    }

    private func expectProblem(_ answer: Answer, _ status: Int, _ code: String) throws {
        #expect(answer.status == status)
        #expect(answer.code == code)
        #expect(answer.header("content-type") == "application/problem+json")
        #expect(answer["requestId"]?.string == answer.header("x-request-id"))
    }
}

import Foundation
import JSON
import TestSupport
import Testing

/// nginx keeps the body of the responder's answer to the guard in a temporary file, if there is one.
@Suite("A refusal of the guard")
struct GuardRefusalTests {
    private struct Refused {
        let path: String
        let bearer: String?
        let status: Int
        let code: String
        let challenge: String
    }

    private static let locations = """
        location /notes/ { include snippets/gatehouse-guard.conf; proxy_pass http://127.0.0.1:1; }
        location /uploads/ {
            client_max_body_size 10m;
            include snippets/gatehouse-guard.conf;
            proxy_pass http://127.0.0.1:1;
        }
        location /notes/admin/ {
            set $gatehouse_role ADMIN;
            include snippets/gatehouse-guard.conf;
            proxy_pass http://127.0.0.1:1;
        }
        """

    private func refusals(of house: FrontedHouse) throws -> [Refused] {
        let token = try house.devLogin("refused@example.com").accessToken
        let invalid = "Bearer error=\"invalid_token\", error_description=\"invalid_access_token\""
        let role = "Bearer error=\"insufficient_scope\", error_description=\"insufficient_role\", scope=\"ADMIN\""
        return [
            Refused(path: "/notes/1", bearer: nil, status: 401, code: "invalid_access_token", challenge: "Bearer"),
            Refused(path: "/notes/1", bearer: "x.y.z", status: 401, code: "invalid_access_token", challenge: invalid),
            Refused(path: "/notes/admin/1", bearer: token, status: 403, code: "insufficient_role", challenge: role),
        ]
    }

    /// Over one connection, by one curl.
    private func ask(_ refused: Refused, of house: FrontedHouse, times count: Int) throws -> [String] {
        let credentials = refused.bearer.map { ["--header", "Authorization: Bearer \($0)"] } ?? []
        let output = try Shell.run(
            [
                "curl", "--silent", "--cacert", house.certificate, "--output", "/dev/null", "--write-out",
                "%{http_code}\n",
            ]
                + credentials + ["https://localhost:\(house.port)\(refused.path)?[1-\(count)]"])
        return String(decoding: output, as: UTF8.self).split(separator: "\n").map(String.init)
    }

    @Test("opens no file of nginx, a thousand times", .enabled(if: FileTrace.isPossible, "tracing nginx takes root"))
    func files() throws {
        let house = try FrontedHouse(locations: Self.locations)
        let refusals = try refusals(of: house)
        for refused in refusals { _ = try ask(refused, of: house, times: 1) }
        let trace = try FileTrace(of: house)
        for refused in refusals {
            let statuses = try ask(refused, of: house, times: 340)
            #expect(statuses == Array(repeating: "\(refused.status)", count: 340))
        }
        // More than nginx keeps of a body in memory: a refused one is not kept at all.
        var upload = Call.get("/uploads/1", bearer: "x.y.z")
        (upload.method, upload.body) = ("POST", [UInt8](repeating: 120, count: 1_000_000))
        for version in ["--http1.1", "--http2"] {
            let status = try house.send(upload, options: [version]).status
            #expect(status == 401)
        }
        let token = try house.devLogin("unknown@example.com").accessToken
        try house.served.loseRevocations()
        #expect(try house.send(.get("/notes/1", bearer: token)).status == 503)
        house.served.process.signal(SIGKILL)
        #expect(house.served.process.wait() != nil)
        #expect(try house.send(.get("/notes/1")).status == 503)
        let calls = try trace.calls()
        #expect(calls.files == [])
        // The connections to the responder are kept: a refusal costs no new one.
        #expect(calls.connections < 50)
    }

    @Test(
        "arrives whole while the disk of nginx's temporary files is full",
        .enabled(if: SmallDisk.isPossible, "mounting a disk takes root"))
    func fullDisk() throws {
        let disk = try SmallDisk(kibibytes: 256)
        let house = try FrontedHouse(values: ["TEMP": disk.path], locations: Self.locations)
        let refusals = try refusals(of: house)
        try disk.fill()
        for refused in refusals {
            for _ in 0..<5 {
                let answer = try house.send(.get(refused.path, bearer: refused.bearer))
                expectProblem(answer, refused.status, refused.code)
                #expect(answer.header("www-authenticate") == refused.challenge)
                #expect(answer["title"]?.string == (refused.status == 401 ? "Unauthorized" : "Forbidden"))
                #expect(answer["detail"]?.string?.isEmpty == false)
                #expect(answer["requestId"]?.string == answer.header("x-request-id"))
            }
        }
        let token = try house.devLogin("unknown@example.com").accessToken
        try house.served.loseRevocations()
        try expectUnavailable(house.send(.get("/notes/1", bearer: token)))
        house.served.process.signal(SIGKILL)
        #expect(house.served.process.wait() != nil)
        try expectUnavailable(house.send(.get("/notes/1", bearer: token)))
    }

    private func expectUnavailable(_ answer: Answer) {
        expectProblem(answer, 503, "service_unavailable")
        #expect(answer.header("retry-after") == "5")
        #expect(answer.header("www-authenticate") == nil)
    }

    @Test("has no body either where the store is what fails")
    func storeFails() throws {
        let house = try ServedHouse()
        let token = try house.devLogin("storeless@example.com").accessToken
        try house.loseRevocations()
        let answer = try house.verify(token)
        #expect(answer.status == 503)
        #expect(answer.body == [])
        #expect(answer.header("x-problem-code") == "storage_unavailable")
        #expect(answer.header("retry-after") == "5")
    }

    @Test("has no body, whatever the reason", arguments: [World.handler, .fastCGI])
    func bodiless(_ world: World) throws {
        let house = try Houses.of(world)
        let token = try house.devLogin("bodiless-\(world)@example.com").accessToken
        for (bearer, role) in [(nil, nil), ("x", nil), (token, "ADMIN"), (token, "ADMNI")] as [(String?, String?)] {
            for method in ["GET", "HEAD", "POST"] {
                var call = Call.get("/api/auth/verify", bearer: bearer)
                (call.method, call.demandedRole) = (method, role)
                let answer = try house.send(call)
                #expect(answer.status == (role == nil ? 401 : 403))
                #expect(answer.body == [])
                #expect(answer.header("content-length") == "0")
                #expect(answer.header("content-type") == nil)
                #expect(answer.header("www-authenticate")?.hasPrefix("Bearer") == true)
                for name in ["x-problem-code", "x-problem-detail"] { #expect(answer.header(name)?.isEmpty == false) }
            }
        }
    }
}

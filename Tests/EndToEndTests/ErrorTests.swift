import JSON
import TestSupport
import Testing

@Suite("What cannot be answered")
struct ErrorTests {
    struct Case: Sendable, CustomTestStringConvertible {
        let call: Call
        let status: Int
        let code: String
        var headers: [String: String] = [:]
        var testDescription: String { "\(call.method) \(call.path) → \(code)" }
    }

    private static func post(_ path: String, type: String?, _ body: String) -> Call {
        Call(
            method: "POST", path: path, headers: type.map { [("Content-Type", $0)] } ?? [], body: Array(body.utf8))
    }

    private static func me(_ authorization: String) -> Call {
        Call(method: "GET", path: "/api/users/me", headers: [("Authorization", authorization)])
    }

    private static let json = "application/json"
    private static let refresh = "/api/auth/refresh"

    static let cases: [Case] = [
        Case(call: .get("/api/nothing"), status: 404, code: "not_found"),
        Case(call: .get("/api/users/me/"), status: 404, code: "not_found"),
        Case(call: .get("/api/users/ME"), status: 404, code: "not_found"),
        Case(call: .get(refresh), status: 405, code: "method_not_allowed", headers: ["allow": "POST"]),
        Case(
            call: .post("/api/users/me", [:]), status: 405, code: "method_not_allowed",
            headers: ["allow": "GET, HEAD, PATCH, DELETE"]),
        Case(
            call: Call(method: "OPTIONS", path: refresh), status: 405, code: "method_not_allowed",
            headers: ["allow": "POST"]),
        Case(call: post(refresh, type: json, ""), status: 400, code: "invalid_json"),
        Case(call: post(refresh, type: json, "{"), status: 400, code: "invalid_json"),
        Case(call: post(refresh, type: json, "[]"), status: 400, code: "invalid_json"),
        Case(call: post(refresh, type: json, "\"x\""), status: 400, code: "invalid_json"),
        Case(
            call: post(refresh, type: json, #"{"refreshToken":"a","refreshToken":"b"}"#), status: 400,
            code: "invalid_json"),
        Case(call: post(refresh, type: json, "{\"refreshToken\":\"\u{1}\"}"), status: 400, code: "invalid_json"),
        Case(call: post(refresh, type: json, "{}"), status: 400, code: "invalid_request"),
        Case(call: post(refresh, type: json, #"{"refreshToken":null}"#), status: 400, code: "invalid_request"),
        Case(call: post(refresh, type: json, #"{"refreshToken":7}"#), status: 400, code: "invalid_request"),
        Case(call: post(refresh, type: json, #"{"refreshToken":""}"#), status: 400, code: "invalid_request"),
        Case(call: post(refresh, type: "text/plain", "{}"), status: 415, code: "unsupported_media_type"),
        Case(call: post(refresh, type: ";", "{}"), status: 415, code: "unsupported_media_type"),
        Case(call: post(refresh, type: nil, "{}"), status: 415, code: "unsupported_media_type"),
        Case(
            call: post(refresh, type: "application/json; charset=latin1", "{}"), status: 415,
            code: "unsupported_media_type"),
        Case(call: post(refresh, type: "Application/JSON;charset=UTF-8", "{}"), status: 400, code: "invalid_request"),
        Case(
            call: .get("/api/users/me"), status: 401, code: "invalid_access_token",
            headers: ["www-authenticate": "Bearer"]),
        Case(
            call: me("Basic YTpi"), status: 401, code: "invalid_access_token", headers: ["www-authenticate": "Bearer"]),
        Case(call: me("Bearer"), status: 401, code: "invalid_access_token", headers: ["www-authenticate": "Bearer"]),
        Case(
            call: me("Bearer nonsense"), status: 401, code: "invalid_access_token",
            headers: [
                "www-authenticate": "Bearer error=\"invalid_token\", error_description=\"invalid_access_token\""
            ]),
        Case(call: .get("/api/users/me?access_token=x"), status: 401, code: "invalid_access_token"),
    ]

    @Test("is answered with a problem document and a stable code", arguments: World.allCases, cases)
    func problem(_ world: World, _ given: Case) throws {
        // The query is the front's to cut off: only nginx sees one.
        if world != .nginx, given.call.path.contains("?") { return }
        let answer = try Houses.of(world).send(given.call)
        #expect(answer.status == given.status)
        #expect(answer.code == given.code)
        #expect(answer.header("content-type") == "application/problem+json")
        #expect(answer.header("cache-control") == "no-store")
        #expect(answer["status"]?.integer == Int64(given.status))
        #expect((answer["errors"]?.array != nil) == (given.status == 400))
        for member in ["type", "title", "detail", "requestId"] { #expect(answer[member]?.string?.isEmpty == false) }
        #expect(answer["requestId"]?.string == answer.header("x-request-id"))
        #expect(answer.count(ofHeader: "x-request-id") == 1)
        for (name, value) in given.headers { #expect(answer.header(name) == value) }
    }

    @Test("names every member at fault at once", arguments: World.allCases)
    func fields(_ world: World) throws {
        let body: JSONObject = [
            "email": "no address", "nickname": 7, "fullName": ["givenName": []], "realUserStatus": 3, "nonce": false,
        ]
        let house = try Houses.of(world)
        func faults(_ path: String) throws -> [String] {
            let answer = try house.send(.post(path, body))
            #expect(answer.status == 400)
            return (answer["errors"]?.array ?? []).compactMap { error in
                #expect(error.object?["message"]?.string?.isEmpty == false)
                return error.object?["field"]?.string
            }
        }
        #expect(try faults("/api/auth/dev-login") == ["email", "devSecret", "nickname"])
        #expect(
            try faults("/api/auth/apple")
                == ["identityToken", "fullName.givenName", "nickname", "nonce", "realUserStatus"])
    }

    @Test("a body of 64 KiB is read, one byte more is too large", arguments: [World.fastCGI, .nginx])
    func tooLarge(_ world: World) throws {
        let house = try Houses.of(world)
        func body(_ size: Int) -> Call {
            let frame = #"{"refreshToken":""}"#.utf8.count
            let filler = String(repeating: "x", count: size - frame)
            return Self.post(Self.refresh, type: Self.json, #"{"refreshToken":"\#(filler)"}"#)
        }
        #expect(try house.send(body(65_536)).code == "invalid_refresh_token")
        let answer = try house.send(body(65_537))
        #expect(answer.status == 413)
        #expect(answer.code == "payload_too_large")
    }

    @Test("403 has a challenge where the credentials are at fault, and none where no credentials help")
    func forbidden() throws {
        let house = try ServedHouse { $0["DEV_LOGIN_SECRET"] = nil }
        let closed = try house.devLogin("closed@example.com")
        #expect(closed.code == "dev_login_disabled")
        #expect(closed.header("www-authenticate") == nil)
        house.process.stop()
        try house.restart { $0["DEV_LOGIN_SECRET"] = ServedHouse.devSecret }
        let login = try house.devLogin("disabled@example.com")
        try house.change("UPDATE users SET status = 'DISABLED'")
        let disabled = try house.me(login.accessToken)
        #expect(disabled.status == 403)
        #expect(disabled.code == "user_disabled")
        #expect(
            disabled.header("www-authenticate")
                == "Bearer error=\"insufficient_scope\", error_description=\"user_disabled\"")
    }
}

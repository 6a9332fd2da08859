import JSON
import TestSupport
import Testing

@testable import ServerSupport

@Suite("Error responses")
struct ErrorTests {
    struct Case: Sendable, CustomTestStringConvertible {
        let request: TestRequest
        let status: Int
        let code: String
        var headers: [String: String] = [:]
        var testDescription: String { "\(request.method) \(request.path) → \(code)" }
    }

    private static func post(_ path: String, type: String?, _ body: String) -> TestRequest {
        TestRequest(
            method: "POST", path: path, headers: type.map { [("Content-Type", $0)] } ?? [], body: Array(body.utf8))
    }

    private static func me(_ authorization: String) -> TestRequest {
        TestRequest(method: "GET", path: "/api/users/me", headers: [("Authorization", authorization)])
    }

    private static let json = "application/json"
    private static let refresh = "/api/auth/refresh"

    static let cases: [Case] = [
        Case(request: .get("/api/nothing"), status: 404, code: "not_found"),
        Case(request: .get("/api/users/me/"), status: 404, code: "not_found"),
        Case(request: .get("/api/users/ME"), status: 404, code: "not_found"),
        Case(request: .get(refresh), status: 405, code: "method_not_allowed", headers: ["allow": "POST"]),
        Case(
            request: .post("/api/users/me", [:]), status: 405, code: "method_not_allowed",
            headers: ["allow": "GET, HEAD, PATCH, DELETE"]),
        Case(
            request: TestRequest(method: "OPTIONS", path: refresh), status: 405, code: "method_not_allowed",
            headers: ["allow": "POST"]),
        Case(request: post(refresh, type: json, ""), status: 400, code: "invalid_json"),
        Case(request: post(refresh, type: json, "{"), status: 400, code: "invalid_json"),
        Case(request: post(refresh, type: json, "[]"), status: 400, code: "invalid_json"),
        Case(request: post(refresh, type: json, "\"x\""), status: 400, code: "invalid_json"),
        Case(
            request: post(refresh, type: json, #"{"refreshToken":"a","refreshToken":"b"}"#), status: 400,
            code: "invalid_json"),
        Case(request: post(refresh, type: json, "{\"refreshToken\":\"\u{1}\"}"), status: 400, code: "invalid_json"),
        Case(request: post(refresh, type: json, "{}"), status: 400, code: "invalid_request"),
        Case(request: post(refresh, type: json, #"{"refreshToken":null}"#), status: 400, code: "invalid_request"),
        Case(request: post(refresh, type: json, #"{"refreshToken":7}"#), status: 400, code: "invalid_request"),
        Case(request: post(refresh, type: json, #"{"refreshToken":""}"#), status: 400, code: "invalid_request"),
        Case(request: post(refresh, type: "text/plain", "{}"), status: 415, code: "unsupported_media_type"),
        Case(request: post(refresh, type: ";", "{}"), status: 415, code: "unsupported_media_type"),
        Case(request: post(refresh, type: nil, "{}"), status: 415, code: "unsupported_media_type"),
        Case(
            request: post(refresh, type: "application/json; charset=latin1", "{}"), status: 415,
            code: "unsupported_media_type"),
        Case(
            request: post(refresh, type: "Application/JSON;charset=UTF-8", "{}"), status: 400, code: "invalid_request"),
        Case(
            request: .get("/api/users/me"), status: 401, code: "invalid_access_token",
            headers: ["www-authenticate": "Bearer"]),
        Case(
            request: me("Basic YTpi"), status: 401, code: "invalid_access_token",
            headers: ["www-authenticate": "Bearer"]),
        Case(request: me("Bearer"), status: 401, code: "invalid_access_token", headers: ["www-authenticate": "Bearer"]),
        Case(
            request: me("Bearer nonsense"), status: 401, code: "invalid_access_token",
            headers: [
                "www-authenticate": "Bearer error=\"invalid_token\", error_description=\"invalid_access_token\""
            ]),
        Case(request: .get("/api/users/me?access_token=x"), status: 401, code: "invalid_access_token"),
    ]

    @Test("Every error is a problem document with a stable code", arguments: [TestEnvironment.handler, .nginx], cases)
    func problem(_ environment: TestEnvironment, _ given: Case) throws {
        // nginx removes the query. The handler never gets one.
        if environment != .nginx, given.request.path.contains("?") { return }
        let response = try SharedServers.standard(environment).send(given.request)
        #expect(response.status == given.status)
        #expect(response.code == given.code)
        #expect(response.header("content-type") == "application/problem+json")
        #expect(response.header("cache-control") == "no-store")
        #expect(response["status"]?.integer == Int64(given.status))
        #expect((response["errors"]?.array != nil) == (given.status == 400))
        for member in ["type", "title", "detail", "requestId"] { #expect(response[member]?.string?.isEmpty == false) }
        #expect(response["requestId"]?.string == response.header("x-request-id"))
        #expect(response.count(ofHeader: "x-request-id") == 1)
        for (name, value) in given.headers { #expect(response.header(name) == value) }
    }

    @Test(
        "The detail of a body that is not JSON names the fault",
        arguments: [
            ("", "The request has no body."), ("{", "ends before the JSON is complete, at byte 1"),
            (#"{"refreshToken":"a"#, "ends before the JSON is complete, at byte 18"),
            ("{'a':1}", "not valid JSON at byte 1"), (#"{"a":1} x"#, "not valid JSON at byte 8"),
            ("[]", "The body is an array."), ("\"x\"", "The body is a string."), ("null", "The body is null."),
            ("7", "The body is a number."), ("true", "The body is a boolean."),
            (#"{"refreshToken":"a","refreshToken":"b"}"#, "has the member refreshToken twice"),
            (#"{"x":{"y":1,"y":2}}"#, "has the member y twice"),
            (#"{"<b>":1,"<b>":2}"#, "has a member twice"), (#"{"":1,"":2}"#, "has a member twice"),
            (#"{"a":1e999}"#, "number that is too large at byte 5"),
            (String(repeating: "[", count: 40), "more than 32 objects and arrays"),
        ])
    func invalidJSON(_ body: String, _ expected: String) throws {
        let server = try SharedServers.standard(.handler)
        for path in [Self.refresh, "/api/auth/apple"] {
            let response = try server.send(Self.post(path, type: Self.json, body))
            #expect(response.status == 400 && response.code == "invalid_json")
            let detail = try #require(response["detail"]?.string)
            #expect(detail.contains(expected), "\(detail)")
        }
    }

    @Test("A body is missing whatever its Content-Type says")
    func missingBody() throws {
        let server = try SharedServers.standard(.handler)
        for type in [nil, "text/plain", Self.json] {
            let response = try server.send(Self.post(Self.refresh, type: type, ""))
            #expect(response.code == "invalid_json")
            #expect(response["detail"]?.string?.hasPrefix("The request has no body. Send a JSON object") == true)
        }
    }

    @Test("A member of another kind is refused with the kind that it has")
    func kinds() throws {
        let server = try SharedServers.standard(.handler)
        for (value, kind) in [(7, "a number"), ([], "an array"), ([:], "an object"), (true, "a boolean")]
            as [(JSONValue, String)]
        {
            let response = try server.send(.post(Self.refresh, ["refreshToken": value]))
            #expect(response.code == "invalid_request")
            #expect(response["detail"]?.string == "refreshToken must be a string, not \(kind)")
        }
    }

    @Test("The document names every invalid member")
    func fields() throws {
        let body: JSONObject = [
            "email": "no address", "nickname": 7, "fullName": ["givenName": []], "realUserStatus": 3, "nonce": false,
        ]
        let server = try SharedServers.standard(.handler)
        func faults(_ path: String) throws -> [String] {
            let response = try server.send(.post(path, body))
            #expect(response.status == 400)
            return (response["errors"]?.array ?? []).compactMap { error in
                #expect(error.object?["message"]?.string?.isEmpty == false)
                return error.object?["field"]?.string
            }
        }
        #expect(try faults("/api/auth/dev-login") == ["email", "devSecret", "nickname"])
        #expect(
            try faults("/api/auth/apple")
                == ["identityToken", "fullName.givenName", "nickname", "nonce", "realUserStatus"])
    }

    @Test("A body of 64 KiB is accepted, a larger one gets 413", arguments: [TestEnvironment.fastCGI, .nginx])
    func tooLarge(_ environment: TestEnvironment) throws {
        let server = try SharedServers.standard(environment)
        func body(_ size: Int) -> TestRequest {
            let frame = #"{"refreshToken":""}"#.utf8.count
            let filler = String(repeating: "x", count: size - frame)
            return Self.post(Self.refresh, type: Self.json, #"{"refreshToken":"\#(filler)"}"#)
        }
        #expect(try server.send(body(65_536)).code == "invalid_refresh_token")
        let response = try server.send(body(65_537))
        #expect(response.status == 413)
        #expect(response.code == "payload_too_large")
    }

    @Test("A 403 has a challenge only where other credentials could help")
    func forbidden() throws {
        let server = try ServerProcess { $0["DEV_LOGIN_SECRET"] = nil }
        let closed = try server.devLogin("closed@example.com")
        #expect(closed.code == "dev_login_disabled")
        #expect(closed.header("www-authenticate") == nil)
        server.process.stop()
        try server.restart { $0["DEV_LOGIN_SECRET"] = ServerProcess.devSecret }
        let login = try server.devLogin("disabled@example.com")
        try server.change("UPDATE users SET status = 'DISABLED'")
        let disabled = try server.me(login.accessToken)
        #expect(disabled.status == 403)
        #expect(disabled.code == "user_disabled")
        #expect(
            disabled.header("www-authenticate")
                == "Bearer error=\"insufficient_scope\", error_description=\"user_disabled\"")
    }
}

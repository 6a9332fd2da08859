import JSON
import Testing

@testable import ServerSupport

/// The check that every test runs on its exchanges: it must find faults.
@Suite("Comparing exchanges with the OpenAPI document")
struct ExchangeCheckTests {
    private let document: APIDocument
    private let login: TestResponse
    private let server: any TestServer

    init() throws {
        document = try APIDocument.current.get()
        server = try SharedServers.standard(.handler)
        login = try server.devLogin("checked@example.com")
    }

    private func faults(
        _ request: TestRequest, _ response: TestResponse, through front: ExchangeCheck.Front = .responder
    ) -> [String] {
        ExchangeCheck(document, through: front).faults(of: request, response)
    }

    private func me() throws -> (request: TestRequest, text: String) {
        let request = TestRequest.get("/api/users/me", bearer: login.accessToken)
        let response = try server.send(request)
        let headers = response.headers.map { "\($0.name): \($0.value)\r\n" }.joined()
        return (request, "Status: 200 OK\r\n" + headers + "\r\n" + String(decoding: response.body, as: UTF8.self))
    }

    private func response(_ text: String) -> TestResponse { TestResponse(parsing: Array(text.utf8)) }

    @Test("An exchange that the document allows has no fault")
    func allowed() throws {
        let (request, text) = try me()
        #expect(faults(request, response(text)) == [])
        let more = text.replacing(#"{"id""#, with: #"{"later":1,"id""#)
        #expect(faults(request, response(more)) == [], "answers may get more members")
    }

    @Test(
        "A changed answer is found",
        arguments: [
            ("200 OK", "201 Created"), ("200 OK", "400 Bad Request"), ("application/json", "text/plain"),
            ("application/json", "application/problem+json"), ("cache-control: no-store", "cache-control: private"),
            ("cache-control: no-store\r\n", ""), ("x-request-id: ", "x-other: "), ("\r\n\r\n", "\r\nx-more: 1\r\n\r\n"),
            (#""id":"#, #""ID":"#), (#""avatarUrl":null,"#, ""), (#""avatarUrl":null"#, #""avatarUrl":7"#),
            (#""onboardingCompleted":false"#, #""onboardingCompleted":null"#), (#""role":"USER""#, #""role":[]"#),
            (#"{"id""#, #"["id""#), ("\r\n\r\n", "\r\nstrict-transport-security: max-age=1\r\n\r\n"),
        ])
    func changed(_ old: String, _ new: String) throws {
        let (request, text) = try me()
        let changed = text.replacing(old, with: new, maxReplacements: 1)
        try #require(changed != text)
        #expect(faults(request, response(changed)) != [])
    }

    @Test(
        "A problem that the document does not list for the operation is found",
        arguments: [
            ("401", "invalid_refresh_token"), ("404", "invalid_access_token"), ("401", ""), ("500", "error"),
            ("404", "not_found"), ("405", "method_not_allowed"),
        ])
    func problems(_ status: String, _ code: String) throws {
        let request = TestRequest.get("/api/users/me")
        let refused = try server.send(request)
        let head = "content-type: application/problem+json\r\ncache-control: no-store\r\nx-request-id: r\r\n\r\n"
        let body = String(decoding: refused.body, as: UTF8.self)
        #expect(faults(request, response("Status: 401 x\r\n\(head)\(body)")) == [])
        let changed = body.replacing("invalid_access_token", with: code)
        #expect(faults(request, response("Status: \(status) x\r\n\(head)\(changed)")) != [])
        #expect(faults(request, response("Status: 401 x\r\n\(head)")) == ["the body is not JSON"] || code.isEmpty)
    }

    @Test("A success for a request that the document does not allow is found")
    func requests() throws {
        let (_, text) = try me()
        func faults(_ body: JSONObject, bearer: String? = "x", type: String = "application/json") -> [String] {
            var request = TestRequest.post("/api/users/me", body, bearer: bearer)
            (request.method, request.headers[0].value) = ("PATCH", type)
            return self.faults(request, response(text))
        }
        #expect(faults(["nickname": "Ada", "later": 1]) == [])
        #expect(faults(["nickname": "Ada"], bearer: nil) != [])
        #expect(faults(["nickname": "Ada"], type: "text/plain") != [])
        #expect(faults(["nickname": 7]) != [])
        #expect(faults(["nickname": .string(String(repeating: "x", count: 201))]) != [])
        #expect(faults(["onboardingCompleted": nil]) != [])
    }

    @Test("An unknown path is 404, except behind nginx, where the operator has locations")
    func unknownPath() throws {
        let (_, text) = try me()
        #expect(faults(.get("/api/nothing"), response(text)) != [])
        #expect(faults(.get("/notes/1"), response(text)) != [])
        #expect(faults(.get("/notes/1"), response(text), through: .nginx) == [])
        #expect(faults(.get("/api/nothing"), response(text), through: .nginx) != [])
    }

    @Test("A keyword that the validator does not know is a fault")
    func unknownKeyword() throws {
        let validator = SchemaValidator(document: document)
        #expect(validator.faults(of: "x", by: ["type": "string", "contentEncoding": "base64"]) != [])
        #expect(validator.faults(of: "x", by: ["$ref": "#/components/schemas/Nothing"]) != [])
        #expect(validator.faults(of: "x", by: ["type": "string", "format": "unknown"]) != [])
    }

    struct Sample: Sendable {
        let schema: JSONValue
        let valid: [JSONValue]
        let invalid: [JSONValue]
    }

    private static let samples = [
        Sample(schema: ["type": ["string", "null"]], valid: ["x", nil], invalid: [1, true, []]),
        Sample(
            schema: ["type": "integer", "minimum": 0, "maximum": 2], valid: [0, 2, 1.0], invalid: [-1, 3, 1.5, "1"]),
        Sample(schema: ["type": "string", "minLength": 1, "maxLength": 2], valid: ["é", "ab"], invalid: ["", "abc"]),
        Sample(schema: ["pattern": "^[^@]+@[^@]+$"], valid: ["a@b"], invalid: ["a", "a@", "a@b@c"]),
        Sample(schema: ["enum": ["a", "b"]], valid: ["a"], invalid: ["c", nil]),
        Sample(schema: ["type": "string", "x-extensible-enum": ["a"]], valid: ["a", "b"], invalid: [7, nil]),
        Sample(
            schema: ["format": "date-time"], valid: ["2026-11-21T10:14:03.512Z"],
            invalid: ["2026-11-21T10:14:03Z", "2026-11-21 10:14:03.512Z", "2026-11-21T10:14:03.512+01:00", ""]),
        Sample(
            schema: ["type": "object", "required": ["a"], "properties": ["a": ["type": "boolean"]]],
            valid: [["a": true], ["a": false, "b": 1]], invalid: [[:], ["a": nil], [], "a"]),
        Sample(
            schema: ["type": "array", "items": ["type": "integer"]], valid: [[], [1, 2]],
            invalid: [["x"], [1, nil], [:]]),
    ]

    @Test("The validator accepts and refuses values by each keyword")
    func keywords() throws {
        let validator = SchemaValidator(document: document)
        for sample in Self.samples {
            for value in sample.valid { #expect(validator.faults(of: value, by: sample.schema) == []) }
            for value in sample.invalid {
                #expect(validator.faults(of: value, by: sample.schema) != [], "\(value) by \(sample.schema)")
            }
        }
    }
}

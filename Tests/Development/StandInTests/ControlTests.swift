import DevelopmentHTTP
import JSON
import Testing

@testable import StandIn

@Suite("The control of the providers")
struct ControlTests {
    private let providers: StandInFixture

    init() throws {
        providers = try StandInFixture()
    }

    private func status(_ order: String, _ body: String = "{}") throws -> Int? {
        let words = order.split(separator: " ").map(String.init)
        return try #require(providers.reply(words[0], words[1], body)).statusCode
    }

    private static let token = "/openid/example/mint"
    private static let keys = "/openid/example/keys/faults"
    private static let event = "/openid/google/events/mint"

    @Test(
        "an unknown or unsuitable member is refused with its name",
        arguments: [
            ("/wechat/mint", ["x": 1], "x"), ("/wechat/app", ["x": 1], "x"), ("/wechat/faults", ["x": 1], "x"),
            ("/qq/mint", ["x": 1], "x"), ("/qq/app", ["x": 1], "x"), ("/qq/faults", ["x": 1], "x"),
            ("/sms/settings", ["x": 1], "x"), ("/sms/faults", ["x": 1], "x"), ("/mail/faults", ["x": 1], "x"),
            (token, ["x": 1], "x"), (token, ["sub": 1], "sub"), (token, ["aud": 1], "aud"),
            (token, ["aud": ["a", 1]], "aud"), (token, ["alg": "HS256"], "alg"), (token, ["alg": "none"], "alg"),
            (token, ["emailVerified": 1], "emailVerified"), (token, ["claims": []], "claims"),
            (token, ["alg": "EdDSA", "accessToken": "a"], "accessToken"),
            (keys, ["x": 1], "x"), (keys, ["discovery": "empty"], "discovery"), (keys, ["keys": "wrongIssuer"], "keys"),
            (keys, ["keys": "json"], "keys"), (keys, ["keys": 1], "keys"), (keys, ["seconds": -1], "seconds"),
            (keys, ["seconds": 3601], "seconds"), (keys, ["status": 99], "status"), (keys, ["issuer": nil], "issuer"),
            (keys, ["maxAge": -1], "maxAge"), (keys, ["authorize": "empty"], "authorize"),
            (keys, ["token": "json"], "token"),
            (event, [:], "type"), (event, ["type": "x"], "type"), (event, ["type": "verification", "x": 1], "x"),
            (event, ["type": "verification", "subjectType": "x"], "subjectType"),
            (event, ["type": "verification", "aud": 1], "aud"),
            ("/mint", ["subject": "x"], "subject"), ("/mint", ["sub": 1], "sub"), ("/mint", ["claims": []], "claims"),
            ("/mint", ["header": "x"], "header"), ("/mint", ["Sub": "x"], "Sub"), ("/mint", ["nonce": nil], "nonce"),
            ("/mint", ["era": "2020"], "era"), ("/mint", ["era": ""], "era"), ("/mint", ["era": "2025 "], "era"),
            ("/faults", [:], "fault"), ("/faults", ["fault": "meteor"], "fault"),
            ("/faults", ["fault": "hang", "path": "/mint"], "path"),
            ("/faults", ["fault": "delay", "seconds": -1], "seconds"),
            ("/faults", ["fault": "delay", "seconds": 1e300], "seconds"),
            ("/faults", ["fault": "status", "status": 99], "status"),
            ("/faults", ["fault": "status", "status": "500"], "status"),
            ("/faults", ["fault": "hang", "times": 0], "times"), ("/faults", ["fault": "hang", "x": 1], "x"),
            ("/notify", ["sub": "ann"], "type"), ("/notify", ["type": "x"], "sub"),
            ("/notify", ["type": "x", "sub": "a", "shape": "xml"], "shape"),
            ("/notify", ["type": "x", "sub": "a", "time": "h"], "time"),
            ("/notify", ["type": "x", "sub": "a", "more": 1], "more"),
        ] as [(String, JSONObject, String)])
    func refused(path: String, order: JSONObject, name: String) throws {
        let reply = try #require(providers.reply("POST", path, order.description))
        #expect(reply.status == "400 Bad Request")
        #expect(try JSONValue(parsing: reply.body).object?["error"]?.string?.hasPrefix(name + ":") == true)
        #expect(try status("POST " + path, "[]") == 400)
    }

    @Test(
        "an unsuitable value is refused",
        arguments: [
            ("/wechat/mint", #"{"openid":1}"#), ("/wechat/mint", #"{"union":1}"#), ("/wechat/mint", #"{"fault":"x"}"#),
            ("/wechat/faults", #"{"mode":"x"}"#), ("/wechat/faults", #"{"mode":"trailingComma"}"#),
            ("/wechat/faults", #"{"seconds":-1}"#), ("/qq/mint", #"{"openid":1}"#), ("/qq/mint", #"{"expired":1}"#),
            ("/qq/faults", #"{"mode":"wrongIssuer"}"#), ("/qq/faults", #"{"status":99}"#),
            ("/sms/faults", #"{"errcode":1}"#), ("/sms/faults", #"{"mode":"json"}"#),
            ("/sms/settings", #"{"limits":1}"#),
            ("/sms/settings", #"{"secret":"whsec_c2hvcnQ="}"#), ("/sms/settings", #"{"secret":""}"#),
            ("/mail/faults", #"{"mode":"html"}"#), ("/mail/faults", #"{"mode":"status"}"#),
            ("/mail/faults", #"{"mode":"status","status":451}"#), ("/mail/settings", #"{"username":"a"}"#),
            ("/mail/settings", #"{"user":"a","password":"b"}"#),
        ])
    func unsuitable(path: String, body: String) throws {
        #expect(try status("POST " + path, body) == 400)
    }

    @Test(
        "an unknown path or method is not found",
        arguments: [
            "GET /wechat/", "POST /wechat/sns/auth", "GET /wechat/mint", "GET /qq/", "POST /qq/oauth2.0/me",
            "PUT /qq/mint", "POST /openid/example/keys", "PUT /openid/example/mint", "POST /openid/example/events/mint",
            "GET /sms",
            "POST /sms/x", "POST /mail", "GET /mail/x", "POST /inbox", "GET /inbox/x",
        ])
    func unknown(order: String) throws {
        #expect(try status(order) == 404)
    }

    @Test("no value of a request is listed or logged")
    func secrets() throws {
        let code = try #require(try providers.order("/wechat/mint", ["nickname": "secret-name"])["code"]?.string)
        let query = "?appid=secret-id&secret=secret-key&code=\(code)&secret-field=secret-value&grant_type=secret-type"
        _ = try providers.get("/wechat/sns/oauth2/access_token" + query)
        _ = try providers.get("/qq/oauth2.0/token?client_id=secret-id&client_secret=secret-key&code=secret-code")
        _ = try status("POST /qq/mint", #"{"secret-member":"secret-value"}"#)
        _ = try status("POST /openid/example/mint?secret-query", #"{"nonce":"secret-nonce"}"#)
        let lists = try ["/wechat", "/qq"].map { try providers.text($0 + "/requests") }
        for text in lists + providers.logged { #expect(!text.contains("secret-") && !text.contains(code), "\(text)") }
        #expect(providers.logged.count == 6)
    }

    @Test("requests are listed with their known parameters, error and fault, and cleared for each provider")
    func requests() throws {
        _ = try providers.get("/wechat/sns/oauth2/access_token?appid=x&x=y")
        try providers.order("/wechat/faults", ["mode": "close"])
        _ = providers.action("GET", "/wechat/sns/auth")
        _ = try providers.get("/qq/oauth2.0/me")
        #expect(
            try providers.json("/wechat/requests") == [
                "requests": [
                    [
                        "method": "GET", "path": "/wechat/sns/oauth2/access_token", "fields": ["appid"], "status": 200,
                        "errcode": 41004,
                    ],
                    ["method": "GET", "path": "/wechat/sns/auth", "fields": [], "fault": "close"],
                ]
            ])
        _ = try providers.service.control("/wechat/requests", method: "DELETE")
        #expect(try providers.json("/wechat/requests") == ["requests": []])
        #expect(try providers.json("/qq/requests")["requests"]?.array?.count == 1)
    }

    @Test("no more than a hundred providers are created")
    func count() throws {
        for number in 0..<100 { #expect(try status("GET /openid/p\(number)/requests") == 200) }
        #expect(try status("GET /openid/q/requests") == 507)
        #expect(try status("GET /openid/p7/requests") == 200)
    }
}

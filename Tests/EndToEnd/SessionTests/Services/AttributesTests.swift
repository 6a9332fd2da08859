import JSON
import StoreSupport
import TestSupport
import Testing

@testable import ServerSupport

/// What services keep of a user: in their answers, in tokens, at the guard, and as roles.
@Suite("Attributes of users")
struct AttributesTests {
    private static let settings = ["TOKEN_ATTRIBUTES": "plan, tenant_id", "ROLES": "EDITOR,VIEWER"]

    private static let shared = Result { try server() }

    private static func server(_ settings: [String: String] = settings) throws -> InProcessServer {
        try InProcessServer { variables in
            ServiceServers.configure(&variables)
            variables.merge(settings) { $1 }
        }
    }

    private func verify(_ server: any TestServer, _ token: String, role: String? = nil) throws -> TestResponse {
        var request = TestRequest.get("/api/auth/verify", bearer: token)
        request.demandedRole = role
        return try server.send(request)
    }

    @Test("A service replaces the version that it names, and loses no change of another service")
    func versions() throws {
        let server = try Self.shared.get()
        let user = try server.devLogin("versions@example.com").userID
        let first = server.send(.setAttributes(["plan": "pro", "x": [1, ["b": 2, "a": 1.5]]], of: user, "\"0\""))
        #expect(first.status == 200 && first.header("etag") == "\"1\"" && first["attributesVersion"] == 1)
        #expect(first["attributes"] == ["plan": "pro", "x": [1, ["a": 1.5, "b": 2]]])
        let read = server.send(.get("/users/" + user, bearer: ServiceFixture.token))
        #expect(read["attributes"] == first["attributes"] && read["attributesVersion"] == 1)
        let late = server.send(.setAttributes(["plan": "free"], of: user, "\"0\""))
        #expect(late.status == 412 && late.code == "precondition_failed")
        #expect(late["detail"]?.string?.contains("version 1 ") == true)
        for tag in ["1", "W/\"1\"", "\"01\"x", "\"\"", "", "\"a\""] {
            #expect(server.send(.setAttributes(["plan": "free"], of: user, tag)).status == 412, "\(tag)")
        }
        let missing = server.send(.setAttributes(["plan": "free"], of: user, nil))
        #expect(missing.status == 428 && missing.code == "precondition_required")
        // The same request again: its answer may have been lost.
        let again = server.send(.setAttributes(["x": [1, ["a": 1.5, "b": 2]], "plan": "pro"], of: user, "\"0\""))
        #expect(again.status == 200 && again["attributesVersion"] == 1)
        #expect(server.send(.setAttributes([:], of: user, "\"7\", \"1\""))["attributes"] == [:])
        #expect(server.send(.setAttributes(["plan": "pro"], of: user, "*"))["attributesVersion"] == 3)
    }

    @Test("Only a service may set them, and only what Gatehouse accepts is set")
    func refused() throws {
        let server = try Self.shared.get()
        let login = try server.devLogin("refused@example.com")
        func status(_ body: String, _ adjust: (inout TestRequest) -> Void = { _ in }) -> String {
            var request = TestRequest.setAttributes([:], of: login.userID)
            request.body = Array(body.utf8)
            adjust(&request)
            let response = server.send(request)
            return "\(response.status) \(response.code ?? "")"
        }
        for bearer in ["x", login.accessToken] {
            #expect(status("{}") { $0.headers[1].value = "Bearer " + bearer } == "401 invalid_service_token")
        }
        #expect(status("{}") { $0.path = "/users/user_unknown/attributes" } == "404 not_found")
        for body in ["", "x", "[]", "null", #"{"a":1,"a":2}"#, "{\"a\":" + String(repeating: "[", count: 40)] {
            #expect(status(body) == "400 invalid_json", "\(body)")
        }
        let long = String(repeating: "x", count: 4100)
        for body in [
            #"{"a-b":1}"#, #"{"a":"\#(long)"}"#, #"{"plan":"\#(long.prefix(1020))"}"#, #"{"roles":["ADMIN"]}"#,
            #"{"roles":"EDITOR"}"#, #"{"a":[[[[[[[[[]]]]]]]]]}"#, #"{"gatehouse":1}"#,
            #"{"a":[9223372036854775808]}"#,
        ] {
            #expect(status(body) == "422 invalid_attributes", "\(body.prefix(20))")
        }
        // The limit is that of the object without white space.
        #expect(status("{" + String(repeating: " ", count: 5000) + "}") == "200 ")
        let read = server.send(.get("/users/" + login.userID, bearer: ServiceFixture.token))
        #expect(read["attributes"] == [:] && read["attributesVersion"] == 0)
    }

    @Test("The user sees the listed ones, and cannot change them; the export has all")
    func ownUser() throws {
        let server = try Self.shared.get()
        let login = try server.devLogin("own@example.com")
        #expect(login["user"]?.object?["attributes"] == [:] && login.accessClaims["attributes"] == nil)
        _ = server.send(.setAttributes(["plan": "pro", "secret": "s"], of: login.userID))
        let pair = try server.refresh(login.refreshToken)
        #expect(pair.accessClaims["attributes"] == ["plan": "pro"])
        #expect(server.send(.get("/api/users/me", bearer: pair.accessToken))["attributes"] == ["plan": "pro"])
        let change: JSONObject = ["nickname": "N", "attributes": ["plan": "x"]]
        var patch = TestRequest.post("/api/users/me", change, bearer: pair.accessToken)
        patch.method = "PATCH"
        #expect(server.send(patch)["attributes"] == ["plan": "pro"])
        let export = server.send(.get("/api/users/me/export", bearer: pair.accessToken))
        #expect(export["attributes"] == ["plan": "pro", "secret": "s"])
        #expect(export["user"]?.object?["attributes"] == nil)
        let again = try server.devLogin("own@example.com")
        #expect(again["user"]?.object?["attributes"] == ["plan": "pro"])
        let form = TestRequest.form("/introspect", "token=" + again.accessToken)
        var asked = form
        asked.headers.append(("Authorization", "Bearer " + ServiceFixture.token))
        #expect(server.send(asked)["attributes"] == ["plan": "pro"])
    }

    @Test("A change of a listed attribute counts at the next request, and one of another ends no token")
    func nextRequest() throws {
        let server = try Self.shared.get()
        var pair = try server.devLogin("next@example.com")
        let user = pair.userID
        for plan in ["pro", "free", "pro"] {
            let set = server.send(.setAttributes(["plan": .string(plan), "n": 1], of: user))
            #expect(set.status == 200, "\(set.json)")
            #expect(try verify(server, pair.accessToken).code == "session_revoked")
            #expect(server.send(.get("/api/users/me", bearer: pair.accessToken)).code == "session_revoked")
            pair = try server.refresh(pair.refreshToken)
            #expect(try verify(server, pair.accessToken).header("x-user-attribute-plan") == plan)
            _ = server.send(.setAttributes(["plan": .string(plan), "n": 2], of: user))
            #expect(try verify(server, pair.accessToken).status == 204)
        }
        _ = server.send(.setAttributes([:], of: user))
        #expect(try verify(server, pair.accessToken).code == "session_revoked")
        pair = try server.refresh(pair.refreshToken)
        #expect(try verify(server, pair.accessToken).headers.allSatisfy { !$0.name.lowercased().contains("attribute") })
    }

    @Test("Each value has one form in a header, which no value can leave")
    func headers() throws {
        let server = try Self.shared.get()
        let login = try server.devLogin("headers@example.com")
        var token = login.refreshToken
        let forms: [(JSONValue, String?)] = [
            ("pro", "pro"), ("a b", "a b"), ("", "\"\""), (" a", "\" a\""), ("[\"x\"]", "\"[\\\"x\\\"]\""),
            ("{", "\"{\""),
            ("a\"b", "\"a\\\"b\""), ("中国😀", "\"\\u4e2d\\u56fd\\ud83d\\ude00\""),
            ("a\r\nX-User-Id: x", "\"a\\r\\nX-User-Id: x\""),
            ("acme\u{D4E}", "\"acme\\u0d4e\""), ("\u{301}acme", "\"\\u0301acme\""),
            ("\u{7F}", "\"\\u007f\""), (12, "12"), (-1.5, "-1.5"), (true, "true"), (nil, nil),
            (["a", "é"], "[\"a\",\"\\u00e9\"]"),
            (["b": 1, "a": [2]], "{\"a\":[2],\"b\":1}"),
        ]
        for (value, expected) in forms {
            _ = server.send(.setAttributes(["tenant_id": value], of: login.userID))
            let pair = try server.refresh(token)
            token = pair.refreshToken
            let response = try verify(server, pair.accessToken)
            #expect(response.status == 204 && response.header("x-user-attribute-tenant-id") == expected, "\(value)")
        }
    }

    @Test("A role of the operator's own passes those who have it, and no administrator who does not")
    func roles() throws {
        let server = try Self.shared.get()
        let login = try server.devLogin("editor@example.com")
        _ = server.send(.setAttributes(["roles": ["EDITOR"]], of: login.userID))
        let editor = try server.refresh(login.refreshToken).accessToken
        #expect(try verify(server, editor, role: "EDITOR").header("x-user-attribute-roles") == "[\"EDITOR\"]")
        for role in ["VIEWER", "ADMIN", "editor", "EDITOR ", "roles", "NONE"] {
            #expect(try verify(server, editor, role: role).code == "insufficient_role", "\(role)")
        }
        let refusal = try verify(server, editor, role: "VIEWER")
        #expect(refusal.status == 403 && refusal.header("www-authenticate")?.contains("scope=\"VIEWER\"") == true)
        let highest = try ForgedToken.accessToken(
            like: try server.devLogin("root@example.com").accessToken, role: "SUPER_ADMIN")
        #expect(try verify(server, highest, role: "EDITOR").code == "insufficient_role")
        #expect(try verify(server, highest, role: "ADMIN").status == 204)
    }

    @Test("While nginx does not set a header, which a client could then send, the guard refuses every request")
    func openHeaders() throws {
        let server = try Self.shared.get()
        var request = TestRequest.get("/api/auth/verify", bearer: try server.devLogin("open@example.com").accessToken)
        for names in [nil, "", "plan", "plan,tenant_id,role", "tenant_id,roles,,", "planroles,tenant_id,roles"] {
            request.attributeNames = names
            #expect(server.send(request).status == 503, "\(names ?? "none")")
        }
        for names in ["plan,tenant_id,roles", "roles,plan,other,tenant_id"] {
            request.attributeNames = names
            #expect(server.send(request).status == 204, "\(names)")
        }
    }

    @Test("Without settings, tokens and users have no attributes, and services keep them all the same")
    func unlisted() throws {
        let server = try ServiceServers.handler.get()
        let login = try server.devLogin("unlisted@example.com")
        _ = server.send(.setAttributes(["plan": "pro", "roles": "any"], of: login.userID))
        #expect(try verify(server, login.accessToken).status == 204)
        let pair = try server.refresh(login.refreshToken)
        #expect(pair.accessClaims["attributes"] == nil)
        #expect(server.send(.get("/api/users/me", bearer: pair.accessToken))["attributes"] == nil)
        #expect(try verify(server, pair.accessToken, role: "EDITOR").code == "insufficient_role")
    }

    @Test("A deletion clears them, and a deleted user gets none")
    func deletion() throws {
        let server = try Self.shared.get()
        let login = try server.devLogin("leaving@example.com")
        _ = server.send(.setAttributes(["secret": "s"], of: login.userID))
        #expect(server.send(.delete("/api/users/me", bearer: login.accessToken)).status == 204)
        let deleted = server.send(.get("/users/" + login.userID, bearer: ServiceFixture.token))
        #expect(deleted["attributes"] == [:] && deleted["status"] == "DELETED")
        #expect(server.send(.setAttributes(["plan": "pro"], of: login.userID)).code == "not_found")
    }
}

import JSON
import TestSupport
import Testing

@testable import ServerSupport

/// Behind nginx, whose configuration has the names.
@Suite("Attributes at the guard")
struct GuardAttributeTests {
    @Test("While nginx lacks the name of an attribute, whose header a client could then send, no request passes")
    func nameThatNginxLacks() throws {
        let upstream = try UpstreamServer.echoing()
        let server = try LocalServer(
            values: ["TOKEN_ATTRIBUTES": "plan"],
            locations: """
                location /notes/ { include snippets/gatehouse-guard.conf; proxy_pass http://127.0.0.1:\(upstream.port); }
                """, settings: ["TOKEN_ATTRIBUTES": "plan,tenant_id"])
        let login = try server.devLogin("lacking@example.com")
        var request = TestRequest.get("/notes/1", bearer: login.accessToken)
        request.headers.append(("X-User-Attribute-Tenant-Id", "forged"))
        #expect(try server.server.send(request).status == 503)
    }

    @Test("A service gets the attributes of the user, and none that a client sends under their names")
    func headers() throws {
        let upstream = try UpstreamServer.echoing()
        let pass = "include snippets/gatehouse-guard.conf; proxy_pass http://127.0.0.1:\(upstream.port)"
        let server = try LocalServer(
            values: ["TOKEN_ATTRIBUTES": "plan,tenant_id,roles,Plan,the_longest_that_nginx_has"],
            locations: """
                location /notes/ { \(pass); }
                location /notes/edit/ { set $gatehouse_role EDITOR; \(pass); }
                """, settings: ["TOKEN_ATTRIBUTES": "plan,tenant_id", "ROLES": "EDITOR"])
        func arrived(_ token: String, _ path: String = "/notes/1") throws -> UpstreamRequest? {
            var request = TestRequest.get(path, bearer: token)
            for name in ["Plan", "Tenant-Id", "tenant-id", "TENANT-ID", "Roles", "Tenant_Id"] {
                request.headers.append(("X-User-Attribute-" + name, "forged"))
            }
            let response = try server.server.send(request)
            return response.status == 200 ? UpstreamRequest(whole: response.body) : nil
        }
        let login = try server.devLogin("attributes@example.com")
        let plain = try #require(try arrived(login.accessToken))
        #expect(!plain.text.contains("forged") && plain.values(of: "X-User-Attribute-Plan") == [])
        #expect(try arrived(login.accessToken, "/notes/edit/1") == nil)

        let attributes: JSONObject = ["plan": "pro", "tenant_id": "中", "roles": ["EDITOR"], "other": "o"]
        let set = try server.send(.setAttributes(attributes, of: login.userID, "\"0\""))
        #expect(set.status == 200 && set.header("etag") == "\"1\"")
        #expect(try server.send(.setAttributes([:], of: login.userID, "\"0\"")).status == 412)
        #expect(try arrived(login.accessToken) == nil)
        let token = try server.refresh(login.refreshToken).accessToken
        let request = try #require(try arrived(token, "/notes/edit/1"))
        #expect(request.values(of: "X-User-Attribute-Plan") == ["pro"])
        #expect(request.values(of: "X-User-Attribute-Tenant-Id") == [#""\u4e2d""#])
        #expect(request.values(of: "X-User-Attribute-Roles") == [#"["EDITOR"]"#])
        #expect(!request.text.contains("forged") && !request.text.contains("Other"))
    }
}

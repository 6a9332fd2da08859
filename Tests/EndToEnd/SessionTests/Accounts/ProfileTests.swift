import JSON
import Testing

@testable import ServerSupport

@Suite("Profile changes")
struct ProfileTests {
    private func patch(_ server: any TestServer, _ json: String, _ bearer: String?) throws -> TestResponse {
        var request = TestRequest.get("/api/users/me", bearer: bearer)
        request.method = "PATCH"
        request.headers.append(("Content-Type", "application/json"))
        request.body = Array(json.utf8)
        return try server.send(request)
    }

    @Test("A change sets the members that are sent, keeps the others and returns the user")
    func changes() throws {
        let server = try SharedServers.standard(.nginx)
        let token = try server.devLogin("profile@example.com", nickname: "Before").accessToken
        let steps: [(body: String, step: String, nickname: String?, avatar: String?, onboarded: Bool)] = [
            (body: #"{"onboardingCompleted": true}"#, step: "a flag", nickname: "Before", avatar: nil, onboarded: true),
            (body: #"{"nickname": "  名前 "}"#, step: "a name", nickname: "名前", avatar: nil, onboarded: true),
            (
                body: #"{"avatarUrl": "https://example.com/a.png?s=1"}"#, step: "a picture", nickname: "名前",
                avatar: "https://example.com/a.png?s=1", onboarded: true
            ),
            (
                body: #"{"nickname": null, "role": "ADMIN", "id": "x", "status": "DELETED"}"#, step: "away",
                nickname: nil, avatar: "https://example.com/a.png?s=1", onboarded: true
            ),
            (
                body: #"{"nickname": " ", "avatarUrl": null, "onboardingCompleted": false}"#, step: "all",
                nickname: nil, avatar: nil, onboarded: false
            ),
        ]
        for (body, step, nickname, avatar, onboarded) in steps {
            let response = try patch(server, body, token)
            #expect(response.status == 200, "\(step)")
            #expect(response["nickname"]?.string == nickname, "\(step)")
            #expect(response["avatarUrl"]?.string == avatar, "\(step)")
            #expect(response["onboardingCompleted"]?.bool == onboarded, "\(step)")
            #expect(response["role"] == "USER" && response["status"] == "ACTIVE", "\(step)")
            #expect(try server.me(token).body == response.body, "\(step)")
        }
    }

    @Test(
        "A refused change names every invalid member and changes nothing",
        arguments: [
            (
                #"{"nickname": 7, "avatarUrl": true, "onboardingCompleted": "yes"}"#,
                ["nickname", "avatarUrl", "onboardingCompleted"]
            ),
            (#"{"onboardingCompleted": null}"#, ["onboardingCompleted"]),
            (#"{"avatarUrl": "http://example.com/a.png", "nickname": "New"}"#, ["avatarUrl"]),
            (#"{"avatarUrl": "javascript:alert(1)"}"#, ["avatarUrl"]),
            (#"{"avatarUrl": "https://"}"#, ["avatarUrl"]),
            (#"{"avatarUrl": "https:///path"}"#, ["avatarUrl"]),
            (#"{"avatarUrl": "https://a b"}"#, ["avatarUrl"]),
            (#"{"avatarUrl": "https://user:password@example.com/"}"#, ["avatarUrl"]),
            (#"{"avatarUrl": ""}"#, ["avatarUrl"]),
            (#"{"nickname": "a\nb"}"#, ["nickname"]),
            (#"{}"#, ["nickname"]),
            (#"{"nickName": "Ada", "avatarURL": "https://example.com/a.png", "role": "ADMIN"}"#, ["nickname"]),
        ])
    func faults(_ body: String, _ fields: [String]) throws {
        let server = try SharedServers.standard(.handler)
        let token = try server.devLogin("faults@example.com", nickname: "Kept").accessToken
        let response = try patch(server, body, token)
        #expect(response.status == 400)
        #expect(response.code == "invalid_request")
        #expect(response["errors"]?.array?.compactMap { $0.object?["field"]?.string } == fields)
        #expect(try server.me(token)["nickname"] == "Kept")
    }

    @Test("A change without a member that can be changed names those that can")
    func nothingToChange() throws {
        let server = try SharedServers.standard(.handler)
        let token = try server.devLogin("nothing@example.com").accessToken
        let response = try patch(server, #"{"nickName": "Ada"}"#, token)
        expectProblem(response, 400, "invalid_request")
        let detail = response["detail"]?.string ?? ""
        for member in ["nickname", "avatarUrl", "onboardingCompleted"] { #expect(detail.contains(member)) }
        // A known member makes the others ones of a newer client.
        #expect(try patch(server, #"{"nickName": "Ada", "onboardingCompleted": false}"#, token).status == 200)
    }

    @Test("An unauthenticated request gets 401 before its body is validated")
    func unauthenticated() throws {
        let server = try SharedServers.standard(.handler)
        #expect(try patch(server, "{", nil).code == "invalid_access_token")
        let login = try server.devLogin("left@example.com")
        #expect(try server.send(.post("/api/auth/logout", bearer: login.accessToken)).status == 204)
        #expect(try patch(server, "{", login.accessToken).code == "session_revoked")
    }
}

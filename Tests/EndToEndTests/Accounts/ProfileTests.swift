import JSON
import Testing

@Suite("Profile changes")
struct ProfileTests {
    private func patch(_ installation: any Installation, _ json: String, _ bearer: String?) throws -> TestResponse {
        var request = TestRequest.get("/api/users/me", bearer: bearer)
        request.method = "PATCH"
        request.headers.append(("Content-Type", "application/json"))
        request.body = Array(json.utf8)
        return try installation.send(request)
    }

    @Test(
        "A change sets the members that are sent, keeps the others and returns the user",
        arguments: TestEnvironment.allCases)
    func changes(_ environment: TestEnvironment) throws {
        let installation = try SharedInstallations.standard(environment)
        let token = try installation.devLogin("profile-\(environment)@example.com", nickname: "Before").accessToken
        let steps: [(String, String, String?, String?, Bool)] = [
            (#"{"onboardingCompleted": true}"#, "a flag", "Before", nil, true),
            (#"{"nickname": "  名前 "}"#, "a name", "名前", nil, true),
            (
                #"{"avatarUrl": "https://example.com/a.png?s=1"}"#, "a picture", "名前", "https://example.com/a.png?s=1",
                true
            ),
            (
                #"{"nickname": null, "role": "ADMIN", "id": "x", "status": "DELETED"}"#, "away", nil,
                "https://example.com/a.png?s=1", true
            ),
            (#"{"nickname": " ", "avatarUrl": null, "onboardingCompleted": false}"#, "all", nil, nil, false),
        ]
        for (body, step, nickname, avatar, onboarded) in steps {
            let response = try patch(installation, body, token)
            #expect(response.status == 200, "\(step)")
            #expect(response["nickname"]?.string == nickname, "\(step)")
            #expect(response["avatarUrl"]?.string == avatar, "\(step)")
            #expect(response["onboardingCompleted"]?.bool == onboarded, "\(step)")
            #expect(response["role"] == "USER" && response["status"] == "ACTIVE", "\(step)")
            #expect(try installation.me(token).body == response.body, "\(step)")
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
        let installation = try SharedInstallations.standard(.handler)
        let token = try installation.devLogin("faults@example.com", nickname: "Kept").accessToken
        let response = try patch(installation, body, token)
        #expect(response.status == 400)
        #expect(response.code == "invalid_request")
        #expect(response["errors"]?.array?.compactMap { $0.object?["field"]?.string } == fields)
        #expect(try installation.me(token)["nickname"] == "Kept")
    }

    @Test("A change without a member that can be changed names those that can", arguments: TestEnvironment.allCases)
    func nothingToChange(_ environment: TestEnvironment) throws {
        let installation = try SharedInstallations.standard(environment)
        let token = try installation.devLogin("nothing-\(environment)@example.com").accessToken
        let response = try patch(installation, #"{"nickName": "Ada"}"#, token)
        expectProblem(response, 400, "invalid_request")
        let detail = response["detail"]?.string ?? ""
        for member in ["nickname", "avatarUrl", "onboardingCompleted"] { #expect(detail.contains(member)) }
        // A known member makes the others ones of a newer client.
        #expect(try patch(installation, #"{"nickName": "Ada", "onboardingCompleted": false}"#, token).status == 200)
    }

    @Test("An unauthenticated request gets 401 before its body is validated")
    func unauthenticated() throws {
        let installation = try SharedInstallations.standard(.handler)
        #expect(try patch(installation, "{", nil).code == "invalid_access_token")
        let login = try installation.devLogin("left@example.com")
        #expect(try installation.send(.post("/api/auth/logout", bearer: login.accessToken)).status == 204)
        #expect(try patch(installation, "{", login.accessToken).code == "session_revoked")
    }
}

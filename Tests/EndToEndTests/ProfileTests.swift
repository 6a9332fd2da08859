import JSON
import Testing

@Suite("Changing one's profile")
struct ProfileTests {
    private func patch(_ house: any House, _ json: String, _ bearer: String?) throws -> Answer {
        var call = Call.get("/api/users/me", bearer: bearer)
        call.method = "PATCH"
        call.headers.append(("Content-Type", "application/json"))
        call.body = Array(json.utf8)
        return try house.send(call)
    }

    @Test("changes what is sent and leaves the rest, and the answer is the user", arguments: World.allCases)
    func changes(_ world: World) throws {
        let house = try Houses.of(world)
        let token = try house.devLogin("profile-\(world)@example.com", nickname: "Before").accessToken
        let steps: [(String, String, String?, String?, Bool)] = [
            (#"{}"#, "nothing", "Before", nil, false),
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
            let answer = try patch(house, body, token)
            #expect(answer.status == 200, "\(step)")
            #expect(answer["nickname"]?.string == nickname, "\(step)")
            #expect(answer["avatarUrl"]?.string == avatar, "\(step)")
            #expect(answer["onboardingCompleted"]?.bool == onboarded, "\(step)")
            #expect(answer["role"] == "USER" && answer["status"] == "ACTIVE", "\(step)")
            #expect(try house.me(token).body == answer.body, "\(step)")
        }
    }

    @Test(
        "names every fault of it at once, and changes nothing",
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
        ])
    func faults(_ body: String, _ fields: [String]) throws {
        let house = try Houses.of(.handler)
        let token = try house.devLogin("faults@example.com", nickname: "Kept").accessToken
        let answer = try patch(house, body, token)
        #expect(answer.status == 400)
        #expect(answer.code == "invalid_request")
        #expect(answer["errors"]?.array?.compactMap { $0.object?["field"]?.string } == fields)
        #expect(try house.me(token)["nickname"] == "Kept")
    }

    @Test("is for whoever is signed in; nobody else learns what is wrong with their body")
    func nobody() throws {
        let house = try Houses.of(.handler)
        #expect(try patch(house, "{", nil).code == "invalid_access_token")
        let login = try house.devLogin("left@example.com")
        #expect(try house.send(.post("/api/auth/logout", bearer: login.accessToken)).status == 204)
        #expect(try patch(house, "{", login.accessToken).code == "session_revoked")
    }
}

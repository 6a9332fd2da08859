import GatehouseWeb
import JSON
import StandIn
import StoreSupport
import TestSupport
import Testing

@testable import ServerSupport

@Suite("Codes, joins, unlinking and deletion at the same moment")
struct CodeRaceTests {
    private let fixture: CodeFixture
    private let server: InProcessServer
    private let other: InProcessServer

    init() throws {
        fixture = try CodeFixture { variables in
            for name in ["ADDRESS", "ADDRESS_AND_NETWORK", "CLIENT", "NETWORK", "PREFIX"] {
                variables["CODES_PER_\(name)"] = "1000/1d"
            }
            variables["CODES_LEAST_USED"] = "0"
        }
        server = try #require(fixture.server as? InProcessServer)
        other = try InProcessServer(beside: server)
    }

    private func binding(
        _ code: SentTestCode, to login: TestResponse, channel: String = "phone", _ more: JSONObject = [:]
    ) -> TestRequest {
        var body = more
        body["codeId"] = .string(code.id)
        body["code"] = .string(code.text)
        if more["onTaken"] == "join" { body["refreshToken"] = .string(login.refreshToken) }
        return .post("/api/users/me/accounts/\(channel)", body, bearer: login.accessToken)
    }

    private func login(by code: SentTestCode) -> TestRequest {
        .post("/api/auth/codes/\(code.id)", ["code": .string(code.text)])
    }

    /// Sends all at once, to both nodes in turns.
    private func race(_ requests: [TestRequest]) throws -> [TestResponse] {
        let (server, other) = (server, other)
        return try Concurrently.run(requests.count) { index in (index % 2 == 0 ? server : other).send(requests[index]) }
    }

    /// What must hold whatever won.
    private func expectWhole() throws {
        let broken = [
            "SELECT count(*) FROM users u WHERE u.phone IS NOT NULL AND NOT EXISTS (SELECT 1 FROM auth_accounts a"
                + " WHERE a.user_id = u.id AND a.provider = 'PHONE' AND a.provider_user_id = u.phone)",
            "SELECT count(*) FROM auth_accounts a JOIN users u ON u.id = a.user_id"
                + " WHERE a.provider = 'PHONE' AND (u.phone IS NULL OR u.phone <> a.provider_user_id)",
            "SELECT count(*) FROM auth_accounts a JOIN users u ON u.id = a.user_id WHERE u.status = 'DELETED'",
            "SELECT count(*) FROM refresh_tokens t JOIN users u ON u.id = t.user_id WHERE u.status = 'DELETED'",
            "SELECT count(*) FROM users u WHERE u.status = 'DELETED'"
                + " AND (u.email IS NOT NULL OR u.nickname IS NOT NULL OR u.phone IS NOT NULL)",
            "SELECT count(*) FROM users u WHERE u.status = 'ACTIVE'"
                + " AND NOT EXISTS (SELECT 1 FROM auth_accounts a WHERE a.user_id = u.id)",
        ]
        for query in broken { #expect(try server.testDatabase.number(query) == 0, "\(query)") }
    }

    @Test("A join, logins by both identities, a deletion and an unlinking leave every identity with one living user")
    func everything() throws {
        for round in 0..<12 {
            let number = fixture.newNumber()
            let (mail, ownMail) = ("shell-\(round)@example.com", "owner-\(round)@example.net")
            let owner = try fixture.logIn(phone: number)
            let dev = try server.devLogin("dev-\(round)@example.com")
            let shell = try fixture.logIn(fixture.code(mail, channel: "email"))
            let joining = try fixture.code(number)
            let byNumber = try fixture.code(number)
            let byMail = try fixture.code(mail, channel: "email")
            let forDev = try fixture.code(number)
            var ending = TestRequest.get(
                "/api/users/me", bearer: round % 2 == 0 ? owner.accessToken : shell.accessToken)
            ending.method = "DELETE"
            var unlinking = TestRequest.get("/api/users/me/accounts/phone", bearer: owner.accessToken)
            unlinking.method = "DELETE"
            var requests = [
                binding(joining, to: shell, ["onTaken": "join"]), login(by: byNumber), login(by: byMail),
                binding(forDev, to: dev, ["onTaken": "join"]), unlinking, .refresh(shell.refreshToken),
                .refresh(owner.refreshToken),
            ]
            if round % 3 != 0 { requests.append(ending) }
            if round % 4 == 0 {
                let code = try fixture.code(ownMail, channel: "email")
                requests.append(binding(code, to: owner, channel: "email"))
            }
            let answers = try race(requests)
            for answer in answers { #expect(answer.status < 500, "\(answer.status) \(answer.json)") }
            try expectWhole()
        }
    }

    @Test("Two new users who join each other do not wait for each other for ever, and one of them is left")
    func crosswise() throws {
        for round in 0..<6 {
            let number = fixture.newNumber()
            let mail = "cross-\(round)@example.com"
            let byPhone = try fixture.logIn(phone: number)
            let byMail = try fixture.logIn(fixture.code(mail, channel: "email"))
            let answers = try race([
                binding(try fixture.code(number), to: byMail, ["onTaken": "join"]),
                binding(try fixture.code(mail, channel: "email"), to: byPhone, channel: "email", ["onTaken": "join"]),
            ])
            #expect(answers.allSatisfy { $0.status == 200 || $0.status < 500 }, "\(answers.map(fixture.refusal))")
            let joined = answers.filter { $0["accessToken"] != nil }
            #expect(joined.count == 1 && [byPhone.userID, byMail.userID].contains(joined[0].userID))
            let left = try [fixture.code(number), fixture.code(mail, channel: "email")].map {
                try fixture.logIn($0).userID
            }
            #expect(Set(left) == Set(joined.map(\.userID)))
            try expectWhole()
        }
    }

    @Test("One code, used at the same moment to sign in, to bind and to join, counts once")
    func oneCode() throws {
        for round in 0..<6 {
            let number = fixture.newNumber()
            let first = try server.devLogin("one-\(round)@example.com")
            let second = try server.devLogin("two-\(round)@example.com")
            let code = try fixture.code(number)
            let answers = try race([
                login(by: code), binding(code, to: first), binding(code, to: second, ["onTaken": "join"]),
                login(by: code),
            ])
            #expect(answers.count { $0.status == 200 } == 1, "\(answers.map(fixture.refusal))")
            try expectWhole()
        }
    }

    @Test("Changes of one user's number at the same moment leave one number, and the others free")
    func changes() throws {
        for _ in 0..<6 {
            let login = try fixture.logIn(phone: fixture.newNumber())
            let codes = try (0..<4).map { _ in try fixture.code(fixture.newNumber()) }
            let answers = try race(codes.map { binding($0, to: login, ["replace": true]) })
            #expect(answers.allSatisfy { $0.status == 200 }, "\(answers.map(fixture.refusal))")
            try expectWhole()
        }
    }

    @Test("Requests for codes to one number from many networks at both nodes at the same moment send one")
    func sends() throws {
        let fixture = try CodeFixture()
        let server = try #require(fixture.server as? InProcessServer)
        let other = try InProcessServer(beside: server)
        let number = fixture.newNumber()
        let body: JSONObject = ["channel": "phone", "to": .string(number)]
        let answers = try Concurrently.run(24) { index -> Int in
            var request = TestRequest.post("/api/auth/codes", body)
            request.headers.append(("Test-Address", "198.51.\(index).1"))
            return (index % 2 == 0 ? server : other).send(request).status
        }
        #expect(answers.count { $0 == 202 } == 1)
        #expect(Set(answers) == [202, 429])
    }

    @Test("A bound session joins by a proof of its key alone, and the new session is bound to the same key")
    func boundJoin() throws {
        let number = fixture.newNumber()
        let owner = try fixture.logIn(phone: number)
        let mail = try fixture.code("bound-join@example.com", channel: "email")
        let shell = try server.send(login(by: mail).proven(by: "join:P-256", at: server))
        #expect(shell["tokenType"] == "DPoP", "\(shell.json)")
        let request = binding(try fixture.code(number), to: shell, ["onTaken": "join"])
        #expect(server.send(request).code == "invalid_dpop_proof")
        let other = try server.send(request.proven(by: "thief:P-256", at: server))
        #expect(other.code == "invalid_dpop_proof" || other.status == 401, "\(other.json)")
        let next = try server.send(
            login(by: try fixture.code("bound-join@example.com", channel: "email")).proven(by: "join:P-256", at: server)
        )
        let joined = try server.send(
            binding(try fixture.code(number), to: next, ["onTaken": "join"]).proven(by: "join:P-256", at: server))
        #expect(joined.userID == owner.userID && joined["tokenType"] == "DPoP", "\(joined.json)")
    }

    @Test("Without a number, a user can be read and deleted, and can bind a number: the rest is refused")
    func everyEndpoint() throws {
        let fixture = try CodeFixture { $0["PHONE_BINDING"] = "required" }
        let server = try #require(fixture.server as? InProcessServer)
        let login = try fixture.logIn(fixture.code("every@example.com", channel: "email"))
        var open: Set<String> = []
        for route in server.routes where route.path.hasPrefix("/api/users/me") || route.path.contains("verify") {
            for argument in ["phone", "email", "apple", "sess_01ARZ3NDEKTSV4RRFFQ69G5FAV"] {
                var request = TestRequest.post(
                    route.path.replacing(/\{[a-z]+\}/, with: argument), ["x": 1], bearer: login.accessToken)
                request.method = "\(route.method)".uppercased()
                guard "\(request.method) \(request.path)" != "DELETE /api/users/me" else { continue }
                if server.send(request).code != "phone_required" { open.insert("\(request.method) \(request.path)") }
            }
        }
        #expect(open == ["GET /api/users/me", "POST /api/users/me/accounts/phone"], "\(open.sorted())")
    }

    @Test("A disabled user cannot join another user, and a disabled owner cannot be joined")
    func disabled() throws {
        let number = fixture.newNumber()
        let owner = try fixture.logIn(phone: number)
        let shell = try fixture.logIn(fixture.code("disabled@example.com", channel: "email"))
        try server.testDatabase.execute("UPDATE users SET status = 'DISABLED' WHERE id = '\(owner.userID)'")
        let answer = try fixture.bind(fixture.code(number), to: shell, ["onTaken": "join"])
        #expect(fixture.refusal(answer) == "409 account_already_linked identity", "\(answer.json)")
        #expect(try fixture.refusal(fixture.logIn(fixture.code(number))) == "403 user_disabled")
    }

    @Test("An administrator cannot join another user")
    func role() throws {
        let number = fixture.newNumber()
        _ = try fixture.logIn(phone: number)
        let admin = try fixture.logIn(fixture.code("admin@example.com", channel: "email"))
        try server.testDatabase.execute("UPDATE users SET role = 'ADMIN' WHERE id = '\(admin.userID)'")
        let answer = try fixture.bind(fixture.code(number), to: admin, ["onTaken": "join"])
        #expect(answer.status == 409 || answer.status == 401, "\(answer.json)")
    }
}

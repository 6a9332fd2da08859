import FakeApple
import Foundation
import JSON
import Testing

/// A deliberate end, by the user or by an operator.
struct DeliberateEnd: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let act: @Sendable (ServedHouse, Answer) throws -> Void

    static let all = [
        DeliberateEnd(testDescription: "logout") { house, login in
            try expectNoContent(house.send(.post("/api/auth/logout", bearer: login.accessToken)))
        },
        DeliberateEnd(testDescription: "logout-all") { house, login in
            try expectNoContent(house.send(.post("/api/auth/logout-all", bearer: login.accessToken)))
        },
        DeliberateEnd(testDescription: "delete") { house, login in
            try expectNoContent(house.deleteAccount(login))
        },
        DeliberateEnd(testDescription: "end of the session in the list") { house, login in
            let list = try house.send(.get("/api/users/me/sessions", bearer: login.accessToken))
            let own = list["sessions"]?.array?.compactMap(\.object).first { $0["current"] == true }
            let id = own?["id"]?.string ?? "none"
            try expectNoContent(house.delete("/api/users/me/sessions/" + id, login))
        },
        DeliberateEnd(testDescription: "disable and enable") { house, login in
            try house.operate("users", "disable", login.userID)
            try house.operate("users", "enable", login.userID)
        },
        DeliberateEnd(testDescription: "delete by an operator") { house, login in
            try house.operate("users", "delete", login.userID, "--yes")
        },
        DeliberateEnd(testDescription: "revocation by an operator") { house, login in
            try house.operate("sessions", "revoke", "--user", login.userID)
        },
    ]

    private static func expectNoContent(_ answer: Answer) throws {
        #expect(answer.status == 204)
    }
}

@Suite("The identity token of a session that was ended on purpose")
struct ReplayAfterEndTests {
    private let house: ServedHouse

    init() throws {
        house = try ServedHouse()
    }

    private func signIn(_ body: JSONObject) throws -> Answer { try house.send(.post("/api/auth/apple", body)) }

    private func expectReplayed(_ body: JSONObject, _ comment: Comment? = nil) throws {
        let answer = try signIn(body)
        #expect(answer.code == "invalid_apple_token" && answer["reason"] == "replayed", comment)
    }

    @Test("opens no other one within its grace", arguments: DeliberateEnd.all)
    func ended(_ end: DeliberateEnd) throws {
        let body = house.apple.login("001.ended")
        let login = try signIn(body)
        #expect(try signIn(body).status == 200, "a lost answer")
        try end.act(house, login)
        try expectReplayed(body)
        try house.dieAndComeBack()
        try expectReplayed(body, "after a kill")
        let fresh = try signIn(house.apple.login("001.ended"))
        #expect(fresh.status == 200, "another identity token of the same person")
    }

    @Test("opens no other one when the session of a repeated login ends")
    func repeated() throws {
        let body = house.apple.login("001.twice")
        _ = try signIn(body)
        let second = try signIn(body)
        #expect(try house.send(.post("/api/auth/logout", bearer: second.accessToken)).status == 204)
        try expectReplayed(body)
    }

    @Test("that linked an account opens none when the account is unlinked or deleted", arguments: [true, false])
    func linked(isUnlinked: Bool) throws {
        let login = try house.devLogin("linked@example.com")
        let body = house.apple.login("001.linked")
        let path = "/api/users/me/accounts/apple"
        #expect(try house.send(.post(path, body, bearer: login.accessToken)).status == 200)
        if isUnlinked {
            #expect(try house.delete(path, login).status == 204)
        } else {
            #expect(try house.deleteAccount(login).status == 204)
        }
        try expectReplayed(body)
    }

    @Test("that linked an account opens none when a session of its user ends")
    func linkedAndLoggedOut() throws {
        let login = try house.devLogin("out@example.com")
        let body = house.apple.login("001.out")
        #expect(try house.send(.post("/api/users/me/accounts/apple", body, bearer: login.accessToken)).status == 200)
        #expect(try house.send(.post("/api/auth/logout-all", bearer: login.accessToken)).status == 204)
        try expectReplayed(body)
    }

    @Test("that opened a session makes no new user when its account is unlinked")
    func unlinked() throws {
        let dev = try house.devLogin("unlinked@example.com")
        let path = "/api/users/me/accounts/apple"
        #expect(try house.send(.post(path, house.apple.login("001.un"), bearer: dev.accessToken)).status == 200)
        let body = house.apple.login("001.un")
        #expect(try signIn(body).userID == dev.userID)
        #expect(try house.delete(path, dev).status == 204)
        try expectReplayed(body)
    }

    @Test("that proved a login which was too old opens none after a logout")
    func proof() throws {
        let house = try InProcessHouse { $0["SENSITIVE_MAX_AGE"] = "10m" }
        let login = house.send(.post("/api/auth/apple", house.apple.login("001.proof")))
        house.setForward(by: .seconds(650))
        let now = Int64(Date().timeIntervalSince1970) + 650
        let proof = house.apple.login("001.proof") { $0.claims = ["iat": .integer(now)] }
        #expect(try house.delete("/api/users/me/accounts/apple", login, proof).code == "last_account")
        #expect(house.send(.post("/api/auth/logout-all", bearer: login.accessToken)).status == 204)
        #expect(house.send(.post("/api/auth/apple", proof))["reason"] == "replayed")
    }

    @Test("keeps its grace where the limit of sessions has ended the session: its answer may be lost again")
    func limit() throws {
        let house = try InProcessHouse { $0["SESSIONS_PER_USER"] = "1" }
        let body = house.apple.login("001.limit")
        for _ in 0..<4 { #expect(house.send(.post("/api/auth/apple", body)).status == 200) }
    }

    @Test("of another user keeps its grace")
    func others() throws {
        let (mine, theirs) = (house.apple.login("001.mine"), house.apple.login("001.theirs"))
        let login = try signIn(mine)
        _ = try signIn(theirs)
        #expect(try house.send(.post("/api/auth/logout-all", bearer: login.accessToken)).status == 204)
        #expect(try signIn(theirs).status == 200)
        try expectReplayed(mine)
    }
}

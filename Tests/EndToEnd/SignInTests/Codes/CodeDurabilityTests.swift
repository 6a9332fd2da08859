import Foundation
import JSON
import StandIn
import StoreSupport
import TestSupport
import Testing

@testable import ServerSupport

@Suite("Codes of a server that is killed, and of many guesses")
struct CodeDurabilityTests {
    @Test("Tries and limits survive a kill, and so does the code")
    func kill() throws {
        let fixture = try CodeFixture(.fastCGI)
        let server = try #require(fixture.server as? ServerProcess)
        let (number, other) = (fixture.newNumber(), fixture.newNumber())
        let (code, tired) = (try fixture.code(number), try fixture.code(other))
        for _ in 0..<4 { #expect(try fixture.logIn(code.wrong).status == 401) }
        for _ in 0..<5 { #expect(try fixture.logIn(tired.wrong).status == 401) }
        server.process.signal(SIGKILL)
        #expect(server.process.wait() == 128 + SIGKILL)
        try server.restart()
        #expect(try fixture.ask(number).status == 429)
        #expect(try fixture.logIn(tired).status == 401)
        #expect(try fixture.logIn(code).status == 200, "the fifth try")
        #expect(try fixture.logIn(code).status == 401)
    }

    @Test("A kill in the middle of many guesses gives none of them a sixth try")
    func killDuringGuesses() throws {
        let fixture = try CodeFixture(.fastCGI)
        let server = try #require(fixture.server as? ServerProcess)
        let codes = try (0..<4).map { _ in try fixture.code(fixture.newNumber()) }
        let guesses = codes.flatMap { code in (0..<12).map { _ in code.wrong } }
        let answers = try Concurrently.run(guesses.count) { index -> Int in
            if index == guesses.count / 2 { server.process.signal(SIGKILL) }
            return (try? fixture.logIn(guesses[index]).status) ?? 0
        }
        #expect(!answers.contains(200))
        _ = server.process.wait()
        try server.restart()
        for code in codes { _ = try (0..<5).map { _ in try fixture.logIn(code.wrong) } }
        #expect(try server.testDatabase.number("SELECT max(tries) FROM codes") == 5)
        for code in codes { #expect(try fixture.logIn(code).status == 401) }
    }

    @Test("Guesses that are spread over numbers, invented ids and nodes are compared five times for each code")
    func spread() throws {
        let fixture = try CodeFixture()
        let server = try #require(fixture.server as? InProcessServer)
        let nodes = [server, try InProcessServer(beside: server)]
        let codes = try (0..<20).map { _ in try fixture.code(fixture.newNumber()) }
        let answers = try Concurrently.run(8) { thread in
            (0..<(Need.areAllMet ? 12_500 : 250)).map { turn -> Int in
                let code = codes[(thread * 7 + turn) % codes.count]
                let id = turn % 3 == 0 ? "code_\(thread)\(turn)" : code.id
                let body: JSONObject = ["code": .string(code.wrong.text)]
                return nodes[turn % 2].send(.post("/api/auth/codes/\(id)", body)).status
            }
        }
        #expect(Set(answers.joined()) == [401])
        let tries = "SELECT CAST(sum(tries) AS BIGINT) FROM codes"
        #expect(try server.testDatabase.number(tries) == 100)
        #expect(
            String(decoding: server.send(.get("/metrics")).body, as: UTF8.self).contains("gatehouse_codes_wrong_total"))
    }

    @Test("While a gateway hangs, other requests are answered, and those that wait for it end after five seconds")
    func hanging() throws {
        let fixture = try CodeFixture(.fastCGI) { $0["WORKERS"] = "16" }
        try fixture.providers.control("/sms/faults", ["mode": "hang"])
        let waiting = Background {
            let answers = try? Concurrently.run(12) { index in
                try fixture.ask("+86139\(1000 + index)0000", from: nil)
            }
            return Array((answers ?? []).map(fixture.refusal).joined(separator: ",").utf8)
        }
        for index in 0..<20 {
            #expect(try fixture.server.devLogin("beside-\(index)@example.com").status == 200)
            #expect(try fixture.ask("beside-\(index)@example.com", channel: "email").status == 202)
        }
        let refusals = String(decoding: waiting.result(), as: UTF8.self).split(separator: ",")
        #expect(refusals.count == 12 && Set(refusals) == ["503 delivery_unavailable"])
        try fixture.providers.control("/sms/faults", [:])
    }

    @Test("A deleted user leaves no number behind, and the number becomes a new user")
    func deletion() throws {
        let fixture = try CodeFixture()
        let server = try #require(fixture.server as? InProcessServer)
        let number = fixture.newNumber()
        let login = try fixture.logIn(phone: number)
        #expect(try fixture.server.delete("/api/users/me", login).status == 204)
        #expect(try server.testDatabase.number("SELECT count(*) FROM users WHERE phone IS NOT NULL") == 0)
        server.advanceClock(by: .seconds(61))
        let next = try fixture.logIn(phone: number)
        #expect(next["isNewUser"] == true && next.userID != login.userID)
    }

    @Test("The export contains the number")
    func export() throws {
        let fixture = try CodeFixture()
        let number = fixture.newNumber()
        let login = try fixture.logIn(phone: number)
        let export = try fixture.server.send(.get("/api/users/me/export", bearer: login.accessToken))
        #expect(export["user"]?.object?["phone"] == .string(number))
        #expect(export["accounts"]?.array?.first?.object?["userIdentifier"] == .string(number))
    }
}

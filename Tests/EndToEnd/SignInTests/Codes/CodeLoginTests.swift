import Foundation
import JSON
import StandIn
import StoreSupport
import TestSupport
import Testing

@testable import ServerSupport

@Suite("Logins by a code")
struct CodeLoginTests {
    private let fixture: CodeFixture

    init() throws {
        fixture = try CodeFixture()
    }

    @Test("A number that was never seen becomes a user with that number, and signs in as the same user again")
    func phone() throws {
        let number = fixture.newNumber()
        let first = try fixture.logIn(fixture.code(number), nickname: "Ann")
        #expect(first.status == 200 && first["isNewUser"] == true, "\(first.json)")
        let user = first["user"]?.object
        #expect(user?["phone"] == .string(number) && user?["email"] == .null && user?["nickname"] == "Ann")
        (fixture.server as? InProcessServer)?.advanceClock(by: .seconds(61))
        let second = try fixture.logIn(phone: number)
        #expect(second.userID == first.userID && second["isNewUser"] == false)
    }

    @Test("A mail address becomes a verified address of the user, and is the same in any case")
    func email() throws {
        let first = try fixture.logIn(fixture.code("ann@example.com", channel: "email"))
        let user = first["user"]?.object
        #expect(first.status == 200 && user?["email"] == "ann@example.com" && user?["emailVerified"] == true)
        #expect(user?["phone"] == .null)
        (fixture.server as? InProcessServer)?.advanceClock(by: .seconds(61))
        let last = fixture.providers.inbox.lastNumber
        let answer = try fixture.ask("  Ann@EXAMPLE.com ", channel: "email")
        let message = try #require(fixture.providers.inbox.message(to: "ann@example.com", after: last))
        let code = SentTestCode(id: answer["codeId"]?.string ?? "", text: message.code ?? "")
        #expect(try fixture.logIn(code).userID == first.userID)
    }

    @Test("The answer tells the id, the time and the wait, and is the same for a known and an unknown number")
    func answer() throws {
        let (known, unknown) = (fixture.newNumber(), fixture.newNumber())
        _ = try fixture.logIn(phone: known)
        (fixture.server as? InProcessServer)?.advanceClock(by: .seconds(180))
        for number in [known, unknown] {
            let answer = try fixture.ask(number)
            #expect(answer.status == 202)
            #expect(answer["codeId"]?.string?.wholeMatch(of: /code_[0-9a-f]{32}/) != nil)
            #expect(answer["expiresIn"] == .integer(600) && answer["resendAfter"] == .integer(60), "\(answer.json)")
            #expect(answer.json.description.matches(of: /"[a-zA-Z]+":/).count == 3)
        }
    }

    @Test("Wrong, used, expired, tried too often and unknown codes get one answer")
    func refused() throws {
        let code = try fixture.code(fixture.newNumber())
        var answers = try (0..<4).map { _ in try fixture.logIn(code.wrong) }
        #expect(try fixture.logIn(code).status == 200, "the fifth try")
        answers.append(try fixture.logIn(code))
        let tired = try fixture.code(fixture.newNumber())
        answers += try (0..<5).map { _ in try fixture.logIn(tired.wrong) } + [fixture.logIn(tired)]
        answers.append(try fixture.logIn(SentTestCode(id: "code_0123", text: "123456")))
        let late = try fixture.code(fixture.newNumber())
        (fixture.server as? InProcessServer)?.advanceClock(by: .seconds(600))
        answers.append(try fixture.logIn(late))
        for text in ["", "12345", "1234567", "abcdef", "１２３４５"] {
            let answer = try fixture.logIn(SentTestCode(id: late.id, text: text))
            if text.isEmpty { #expect(answer.code == "invalid_request") } else { answers.append(answer) }
        }
        let bodies = answers.map { answer in
            var json = answer.json
            json["requestId"] = .null
            return "\(answer.status) \(json)"
        }
        #expect(Set(bodies).count == 1, "\(Set(bodies))")
        #expect(fixture.refusal(answers[0]) == "401 invalid_code")
    }

    @Test("Spaces and full-width digits, which keyboards write, are digits")
    func digits() throws {
        let numbers = ["+8613800138000": " 739 154", "+8613900139000": "７３９１５４"]
        let lastDay = Date(timeIntervalSinceNow: 86_400).description.prefix(10)
        let codes = numbers.keys.map { $0 + "=739154@\(lastDay)" }.joined(separator: ",")
        let fixture = try CodeFixture { $0["TEST_CODES"] = codes }
        for (number, written) in numbers {
            let id = try fixture.ask(number)["codeId"]?.string ?? ""
            #expect(try fixture.logIn(SentTestCode(id: id, text: written)).status == 200, "\(written)")
        }
    }

    @Test("A code signs in once, also by 64 requests at the same moment at two nodes")
    func once() throws {
        let server = try #require(fixture.server as? InProcessServer)
        let other = try InProcessServer(beside: server)
        let code = try fixture.code(fixture.newNumber())
        let request = TestRequest.post("/api/auth/codes/\(code.id)", ["code": .string(code.text)])
        let answers = try Concurrently.run(64) { index in (index % 2 == 0 ? server : other).send(request) }
        #expect(answers.filter { $0.status == 200 }.count == 1)
        #expect(Set(answers.filter { $0.status != 200 }.map(fixture.refusal)) == ["401 invalid_code"])
    }

    @Test("A code belongs to the id that the asking device has")
    func bound() throws {
        let number = fixture.newNumber()
        let victim = try fixture.code(number, from: "192.0.2.1")
        (fixture.server as? InProcessServer)?.advanceClock(by: .seconds(61))
        let attacker = try fixture.code(number, from: "198.51.100.1")
        #expect(victim.id != attacker.id)
        if victim.text != attacker.text {
            #expect(try fixture.logIn(SentTestCode(id: attacker.id, text: victim.text)).status == 401)
        }
        #expect(try fixture.logIn(victim).status == 200, "what another device asks for does not end it")
    }

    @Test("A resend brings the same code, under the same id, and its tries go on")
    func resend() throws {
        let number = fixture.newNumber()
        let code = try fixture.code(number)
        for _ in 0..<3 { _ = try fixture.logIn(code.wrong) }
        (fixture.server as? InProcessServer)?.advanceClock(by: .seconds(61))
        let last = fixture.providers.inbox.lastNumber
        let answer = try fixture.ask(number, resending: code.id)
        #expect(answer["codeId"] == .string(code.id), "\(answer.json)")
        #expect((500...539).contains(answer["expiresIn"]?.integer ?? 0))
        #expect(fixture.providers.inbox.message(to: number, after: last)?.code == code.text)
        _ = try fixture.logIn(code.wrong)
        #expect(try fixture.logIn(code).status == 200)
        let used = try fixture.ask(fixture.newNumber(), resending: code.id)
        #expect(used.status == 202 && used["codeId"] != .string(code.id))
    }

    @Test("The session of a code is bound to a key, and the code is not used up by a proof that is refused")
    func proof() throws {
        let fixture = try CodeFixture { $0["DPOP_NONCE"] = "required" }
        let code = try fixture.code(fixture.newNumber())
        let request = TestRequest.post("/api/auth/codes/\(code.id)", ["code": .string(code.text)])
        let refused = try fixture.server.send(request.proven(by: "code:P-256", at: fixture.server))
        expectRefusedProof(refused, "nonce")
        let nonce = try #require(refused.header("dpop-nonce"))
        let login = try fixture.server.send(
            request.proven(by: "code:P-256", at: fixture.server) { $0.claims["nonce"] = .string(nonce) })
        #expect(login.status == 200 && login["tokenType"] == "DPoP", "\(login.json)")
    }

    @Test("A code in the middle of everything: through nginx, with the real gateway and mail server")
    func nginx() throws {
        let fixture = try CodeFixture(.nginx)
        let login = try fixture.logIn(phone: fixture.newNumber())
        #expect(login.status == 200, "\(login.json)")
        #expect(try fixture.me(login)["phone"] != .null)
        let mail = try fixture.logIn(fixture.code("through-nginx@example.com", channel: "email"))
        #expect(mail["user"]?.object?["email"] == "through-nginx@example.com")
    }
}

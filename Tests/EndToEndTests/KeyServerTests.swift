import Foundation
import JOSE
import JSON
import TestSupport
import Testing

@Suite("While Apple's key server misbehaves")
struct KeyServerTests {
    /// What it sends, made from the set that it should send, and what a token with an unknown key gets then.
    struct Case: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let status: Int
        let manner: @Sendable (_ keys: [SigningKey]) -> KeyServerManner

        init(_ name: String, _ status: Int, _ manner: @escaping @Sendable ([SigningKey]) -> KeyServerManner) {
            (testDescription, self.status, self.manner) = (name, status, manner)
        }

        /// A set of one key, which is not as it should be.
        static func key(_ name: String, _ change: @escaping @Sendable (inout JSONObject) -> Void) -> Case {
            Case("only " + name, 503) { keys in
                var key = keys[0].publicJWK ?? [:]
                change(&key)
                return .replying(FakeAppleStand.document(of: [key]))
            }
        }
    }

    private static func good(_ keys: [SigningKey]) -> [UInt8] { FakeAppleStand.document(of: keys) }

    private static func padded(_ set: [UInt8], to size: Int) -> [UInt8] {
        set + [UInt8](repeating: 0x20, count: size - set.count)
    }

    static let lies: [Case] = [
        Case("garbage", 503) { _ in .replying([0, 0xFF, 0x80, 0x7B]) },
        Case("HTML", 503) { _ in .replying(type: "text/html", text: "<html><body>Maintenance</body></html>") },
        Case("nothing", 503) { _ in .replying([]) },
        Case("another document", 503) { _ in .replying(text: #"{"keys":{"a":1}}"#) },
        Case("an empty set", 503) { _ in .replying(text: #"{"keys":[]}"#) },
        Case("a set of nothing", 503) { _ in .replying(text: #"{"keys":[null,{},[],7]}"#) },
        .key("a weak RSA key") { $0["n"] = .string(Base64URL.encode([UInt8](repeating: 0xFF, count: 128))) },
        .key("a key for encryption") { $0["use"] = "enc" },
        .key("a key of another algorithm") { $0["alg"] = "RS512" },
        .key("a key without a name") { $0["kid"] = nil },
        .key("an elliptic key") { key in key = (try? SigningKey.generate(.ES256).publicJWK) ?? [:] },
        .key("a secret") { $0 = ["kty": "oct", "kid": "NOBODY", "k": "AyM1SysPpbyDfgZld3umj1qzKObwVMkoqQ-EstJQLr_T"] },
        Case("the right set with a wrong status", 503) { .replying(status: "500 Internal Server Error", good($0)) },
        Case("the right set with another success", 503) {
            .replying(status: "203 Non-Authoritative Information", good($0))
        },
        Case("a redirect to itself", 503) {
            .replying(status: "302 Found", headers: ["Location: /auth/keys"], good($0))
        },
        Case("a set that is too long", 503) { .replying(padded(good($0), to: 65_537)) },
        Case("a megabyte", 503) { _ in .replying([UInt8](repeating: 0x5B, count: 1 << 20)) },
        Case("a head without end", 503) { _ in .sending(Array("HTTP/1.1 200 OK\r\nX: ".utf8)) },
        Case("half of the set that it announces", 503) { keys in
            guard case .sending(let bytes) = KeyServerManner.replying(good(keys)) else { return .hangingUp }
            return .sending(bytes.dropLast(100))
        },
        Case("half of a set", 503) { .sending(Array("HTTP/1.1 200 OK\r\n\r\n".utf8) + good($0).dropLast(100)) },
        Case("no HTTP", 503) { _ in .sending(Array("220 mail.example ESMTP\r\n".utf8)) },
        Case("the end of the connection", 503) { _ in .hangingUp },
        Case("one byte at a time", 503) { .trickling(good($0)) },
        // What is right by the letter, however odd.
        Case("the right set as text", 401) { .replying(type: "text/plain", good($0)) },
        Case("the longest set there may be", 401) { .replying(padded(good($0), to: 65_536)) },
        Case("a good key among bad ones", 401) { keys in
            let bad: [JSONObject] = [["kty": "RSA", "kid": "NOBODY"], [:]]
            return .replying(FakeAppleStand.document(of: bad + keys.compactMap(\.publicJWK) + bad))
        },
        Case("another key under the name of a good one", 401) { keys in
            let other = try? SigningKey.generate(.RS256, keyID: keys[0].keyID)
            return .replying(FakeAppleStand.document(of: keys + [other].compactMap { $0 }))
        },
    ]

    @Test("logins with known keys go on, and it is asked once", arguments: lies)
    func lie(_ given: Case) throws {
        let house = try InProcessHouse()
        func login(_ body: JSONObject) -> Int { house.send(.post("/api/auth/apple", body)).status }
        #expect(login(house.apple.login("001.known")) == 200)
        let fetches = house.apple.fetches
        house.setForward(by: .seconds(31))
        house.apple.misbehave(given.manner(house.apple.keys))

        let forged = house.apple.forgedLogin()
        let stranger = Background { [UInt8(clamping: house.send(.post("/api/auth/apple", forged)).status - 300)] }
        #expect(Eventually.holds { house.apple.fetches == fetches + 1 })
        for _ in 0..<3 { #expect(login(house.apple.login("001.known")) == 200) }
        #expect(stranger.result() == [UInt8(given.status - 300)])
        for _ in 0..<3 { #expect(login(house.apple.login("001.known")) == 200) }
        #expect(login(forged) == given.status)
        #expect(house.apple.fetches == fetches + 1)

        house.apple.behave()
        house.setForward(by: .seconds(31))
        #expect(login(forged) == 401)
        #expect(login(house.apple.login("001.known")) == 200)
    }

    @Test("and does not answer, known keys are not kept waiting, and half of the workers serve everybody else")
    func hanging() throws {
        let house = try ServedHouse { $0["WORKERS"] = "8" }
        func login(_ body: JSONObject) throws -> Int { try house.send(.post("/api/auth/apple", body)).status }
        #expect(Eventually.holds { house.apple.fetches == 1 })
        #expect(try login(house.apple.login("001.known")) == 200)
        let fetches = house.apple.fetches
        house.apple.misbehave(.hanging)
        let forged = try (0..<32).map { _ in try house.connect() }
        for (number, peer) in forged.enumerated() {
            try peer.send(
                ServedHouse.bytes(of: .post("/api/auth/apple", house.apple.forgedLogin("NOBODY-\(number)"))))
        }
        #expect(Eventually.holds { house.apple.fetches == fetches + 1 })
        // The fetch lasts for five seconds; all of this happens meanwhile.
        for number in 0..<8 {
            #expect(try login(house.apple.login("001.known")) == 200)
            #expect(try house.devLogin("meanwhile-\(number)@example.com").status == 200)
        }
        #expect(house.apple.fetches == fetches + 1)
        house.apple.behave()
        let answers = try forged.map { Answer(parsing: Array(try $0.answer().text.utf8)).status }
        #expect(Set(answers).isSubset(of: [401, 503]))
        #expect(house.apple.fetches == fetches + 1)
    }

    @Test("from the start, the server starts all the same and waits for nobody")
    func start() throws {
        let house = try ServedHouse(apple: .hanging)
        #expect(Eventually.holds { house.apple.fetches == 1 })
        #expect(try house.devLogin("start@example.com").status == 200)
        house.process.signal(SIGTERM)
        house.apple.behave()
        #expect(house.process.wait() == 0)
    }
}

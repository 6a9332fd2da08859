import Foundation
import JOSE
import JSON
import TestSupport
import Testing

@testable import ServerSupport

@Suite("Faults of Apple's key server")
struct AppleKeyServerFaultTests {
    /// A faulty answer of the key server, and the status of a login with an unknown key.
    struct Case: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let status: Int
        let mode: @Sendable (_ keys: [SigningKey]) -> KeySetServerMode

        init(_ name: String, _ status: Int, _ mode: @escaping @Sendable ([SigningKey]) -> KeySetServerMode) {
            (testDescription, self.status, self.mode) = (name, status, mode)
        }

        /// A set with a single invalid key.
        static func key(_ name: String, _ change: @escaping @Sendable (inout JSONObject) -> Void) -> Case {
            Case("only " + name, 503) { keys in
                var key = keys[0].publicJWK ?? [:]
                change(&key)
                return .replying(FakeAppleIssuer.document(of: [key]))
            }
        }
    }

    private static func good(_ keys: [SigningKey]) -> [UInt8] { FakeAppleIssuer.document(of: keys) }

    private static func padded(_ set: [UInt8], to size: Int) -> [UInt8] {
        set + [UInt8](repeating: 0x20, count: size - set.count)
    }

    static let faults: [Case] = [
        Case("garbage", 503) { _ in .replying([0, 0xFF, 0x80, 0x7B]) },
        Case("HTML", 503) { _ in .replying(type: "text/html", text: "<html><body>Maintenance</body></html>") },
        Case("an empty body", 503) { _ in .replying([]) },
        Case("another document", 503) { _ in .replying(text: #"{"keys":{"a":1}}"#) },
        Case("an empty set", 503) { _ in .replying(text: #"{"keys":[]}"#) },
        Case("a set without keys", 503) { _ in .replying(text: #"{"keys":[null,{},[],7]}"#) },
        .key("a weak RSA key") { $0["n"] = .string(Base64URL.encode([UInt8](repeating: 0xFF, count: 128))) },
        .key("a key for encryption") { $0["use"] = "enc" },
        .key("a key of another algorithm") { $0["alg"] = "RS512" },
        .key("a key without a name") { $0["kid"] = nil },
        .key("an EC key") { key in key = (try? SigningKey.generate(.ES256).publicJWK) ?? [:] },
        .key("a symmetric key") {
            $0 = ["kty": "oct", "kid": "UNKNOWN", "k": "AyM1SysPpbyDfgZld3umj1qzKObwVMkoqQ-EstJQLr_T"]
        },
        Case("the right set with a wrong status", 503) { .replying(status: "500 Internal Server Error", good($0)) },
        Case("the right set with another success", 503) {
            .replying(status: "203 Non-Authoritative Information", good($0))
        },
        Case("a redirect to itself", 503) {
            .replying(status: "302 Found", headers: ["Location: /auth/keys"], good($0))
        },
        Case("a set over the size limit", 503) { .replying(padded(good($0), to: 65_537)) },
        Case("a megabyte", 503) { _ in .replying([UInt8](repeating: 0x5B, count: 1 << 20)) },
        Case("a head without end", 503) { _ in .sending(Array("HTTP/1.1 200 OK\r\nX: ".utf8)) },
        Case("less than Content-Length", 503) { keys in
            guard case .sending(let bytes) = KeySetServerMode.replying(good(keys)) else { return .closing }
            return .sending(bytes.dropLast(100))
        },
        Case("half of a set", 503) { .sending(Array("HTTP/1.1 200 OK\r\n\r\n".utf8) + good($0).dropLast(100)) },
        Case("not HTTP", 503) { _ in .sending(Array("220 mail.example ESMTP\r\n".utf8)) },
        Case("the end of the connection", 503) { _ in .closing },
        Case("one byte at a time", 503) { .trickling(good($0)) },
        // Unusual answers that are valid.
        Case("the right set as text", 401) { .replying(type: "text/plain", good($0)) },
        Case("a set of the maximum size", 401) { .replying(padded(good($0), to: 65_536)) },
        Case("a good key among bad ones", 401) { keys in
            let bad: [JSONObject] = [["kty": "RSA", "kid": "UNKNOWN"], [:]]
            return .replying(FakeAppleIssuer.document(of: bad + keys.compactMap(\.publicJWK) + bad))
        },
        Case("another key under the name of a good one", 401) { keys in
            let other = try? SigningKey.generate(.RS256, keyID: keys[0].keyID)
            return .replying(FakeAppleIssuer.document(of: keys + [other].compactMap { $0 }))
        },
    ]

    @Test("After a faulty answer, logins with known keys succeed and no second fetch follows", arguments: faults)
    func faultyAnswer(_ given: Case) throws {
        let server = try InProcessServer()
        func login(_ body: JSONObject) -> Int { server.send(.post("/api/auth/apple", body)).status }
        #expect(login(server.apple.login("001.known")) == 200)
        let fetches = server.apple.fetches
        server.advanceClock(by: .seconds(31))
        server.apple.setKeyServerMode(given.mode(server.apple.keys))

        let forged = server.apple.forgedLogin()
        let stranger = Background {
            [UInt8(clamping: server.send(.post("/api/auth/apple", forged)).status - 300)]
        }
        #expect(Eventually.holds { server.apple.fetches == fetches + 1 })
        for _ in 0..<3 { #expect(login(server.apple.login("001.known")) == 200) }
        #expect(stranger.result() == [UInt8(given.status - 300)])
        for _ in 0..<3 { #expect(login(server.apple.login("001.known")) == 200) }
        #expect(login(forged) == given.status)
        #expect(server.apple.fetches == fetches + 1)

        server.apple.resetKeyServer()
        server.advanceClock(by: .seconds(31))
        #expect(login(forged) == 401)
        #expect(login(server.apple.login("001.known")) == 200)
    }

    @Test("While a fetch hangs, logins with known keys and other requests are answered")
    func hanging() throws {
        let server = try ServerProcess { $0["WORKERS"] = "8" }
        func login(_ body: JSONObject) throws -> Int { try server.send(.post("/api/auth/apple", body)).status }
        #expect(Eventually.holds { server.apple.fetches == 1 })
        #expect(try login(server.apple.login("001.known")) == 200)
        let fetches = server.apple.fetches
        server.apple.setKeyServerMode(.hanging)
        let forged = try (0..<32).map { _ in try server.connect() }
        for (number, peer) in forged.enumerated() {
            try peer.send(
                TestRequest.post("/api/auth/apple", server.apple.forgedLogin("UNKNOWN-\(number)")).fastCGIBytes)
        }
        #expect(Eventually.holds { server.apple.fetches == fetches + 1 })
        // The fetch times out after five seconds. The loop finishes earlier.
        for number in 0..<8 {
            #expect(try login(server.apple.login("001.known")) == 200)
            #expect(try server.devLogin("meanwhile-\(number)@example.com").status == 200)
        }
        #expect(server.apple.fetches == fetches + 1)
        server.apple.resetKeyServer()
        let responses = try forged.map { TestResponse(parsing: Array(try $0.answer().text.utf8)).status }
        #expect(Set(responses).isSubset(of: [401, 503]))
        #expect(server.apple.fetches == fetches + 1)
    }

    @Test("The server starts and serves requests while the first fetch hangs")
    func hangingAtStart() throws {
        let server = try ServerProcess(apple: .hanging)
        #expect(Eventually.holds { server.apple.fetches >= 1 })
        #expect(try server.devLogin("start@example.com").status == 200)
        server.process.signal(SIGTERM)
        server.apple.resetKeyServer()
        #expect(server.process.wait() == 0)
    }
}

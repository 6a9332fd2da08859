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
    }

    private static func good(_ keys: [SigningKey]) -> [UInt8] { FakeAppleIssuer.document(of: keys) }

    private static func padded(_ set: [UInt8], to size: Int) -> [UInt8] {
        set + [UInt8](repeating: 0x20, count: size - set.count)
    }

    static let faults: [Case] = [
        Case("HTML", 503) { _ in .replying(type: "text/html", text: "<html><body>Maintenance</body></html>") },
        Case("the right set with a wrong status", 503) { .replying(status: "500 Internal Server Error", good($0)) },
        Case("the right set with another success", 503) {
            .replying(status: "203 Non-Authoritative Information", good($0))
        },
        Case("a redirect to itself", 503) {
            .replying(status: "302 Found", headers: ["Location: /auth/keys"], good($0))
        },
        Case("a set over the size limit", 503) { .replying(padded(good($0), to: 65_537)) },
        Case("less than Content-Length", 503) { keys in
            guard case .sending(let bytes) = KeySetServerMode.replying(good(keys)) else { return .closing }
            return .sending(bytes.dropLast(100))
        },
        Case("the end of the connection", 503) { _ in .closing },
        Case("one byte at a time", 503) { .trickling(good($0)) },
        Case("a set of the maximum size", 401) { .replying(padded(good($0), to: 65_536)) },
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

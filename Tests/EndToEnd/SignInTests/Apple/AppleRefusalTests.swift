import Foundation
import JOSE
import JSON
import StandIn
import Testing

@testable import ServerSupport

@Suite("Refused identity tokens")
struct AppleRefusalTests {
    struct Case: Sendable, CustomTestStringConvertible {
        let reason: String
        let fetches: Int
        let adjust: @Sendable (inout MintOrder) -> Void
        var testDescription: String { reason }
    }

    static let cases: [Case] = [
        Case(reason: "algorithm", fetches: 0) { $0.header = ["alg": "none"] },
        Case(reason: "algorithm", fetches: 0) { $0.header = ["alg": "HS256"] },
        Case(reason: "malformed", fetches: 0) { $0.header = ["crit": ["b64"]] },
        Case(reason: "malformed", fetches: 0) { $0.header = ["kid": nil] },
        Case(reason: "malformed", fetches: 0) { $0.claims = ["events": "{}"] },
        Case(reason: "issuer", fetches: 0) { $0.claims = ["iss": "https://evil.example"] },
        Case(reason: "audience", fetches: 0) { $0.audience = "com.example.other" },
        Case(reason: "expired", fetches: 0) { $0.claims = ["exp": 1_600_000_000] },
        Case(reason: "not_yet_valid", fetches: 0) { $0.claims = ["iat": 4_000_000_000, "exp": 4_000_086_400] },
        Case(reason: "unknown_key", fetches: 1) { $0.header = ["kid": "UNKNOWN"] },
    ]

    @Test("An invalid token is refused with its reason and causes no extra key fetch", arguments: cases)
    func refused(_ given: Case) throws {
        let server = try InProcessServer()
        #expect(server.send(.post("/api/auth/apple", server.apple.login("001.known"))).status == 200)
        let (before, rows) = (server.apple.fetches, try TableRowCounts.read(from: server.testDatabase))
        for _ in 0..<3 {
            let response = server.send(
                .post("/api/auth/apple", server.apple.login("001.bad", given.adjust)))
            #expect(response.status == 401)
            #expect(response.code == "invalid_apple_token")
            #expect(response["reason"]?.string == given.reason)
        }
        #expect(try TableRowCounts.read(from: server.testDatabase) == rows, "it creates no user")
        // The first login fetched the keys. No other login fetches during the cooldown.
        #expect(server.apple.fetches == before)
        server.advanceClock(by: .seconds(31))
        for _ in 0..<3 {
            _ = server.send(.post("/api/auth/apple", server.apple.login("001.bad", given.adjust)))
        }
        #expect(server.apple.fetches == before + given.fetches)
    }

    /// A login that is wrong in one way, and what the detail of the answer must say.
    struct Detail: Sendable, CustomTestStringConvertible {
        let reason: String
        let words: String
        var adjust: @Sendable (inout MintOrder) -> Void = { _ in }
        var change: @Sendable (inout JSONObject) -> Void = { _ in }
        var testDescription: String { "\(reason): \(words)" }

        /// With another token.
        static func order(
            _ reason: String, _ words: String, _ adjust: @escaping @Sendable (inout MintOrder) -> Void
        ) -> Detail {
            Detail(reason: reason, words: words, adjust: adjust)
        }

        /// With another body.
        static func body(
            _ reason: String, _ words: String, _ change: @escaping @Sendable (inout JSONObject) -> Void
        ) -> Detail {
            Detail(reason: reason, words: words, change: change)
        }

        /// With another text for the token.
        static func token(
            _ reason: String, _ words: String, _ change: @escaping @Sendable (String) -> String
        ) -> Detail {
            body(reason, words) { $0["identityToken"] = .string(change($0["identityToken"]?.string ?? "")) }
        }
    }

    static let details: [Detail] = [
        .order("audience", "issued for com.example.other, which is not in APPLE_BUNDLE_ID") {
            $0.audience = "com.example.other"
        },
        .order("audience", "issued for another app") { $0.audience = "<script>" },
        .order("expired", "Sign in with Apple again") { $0.claims = ["exp": 1_600_000_000] },
        .order("malformed", "notification from Apple's servers") { $0.claims = ["events": "{}"] },
        .order("malformed", "no usable sub") { $0.claims = ["sub": 7] },
        .order("malformed", "longer than 8 KiB") { $0.claims = ["pad": .string(String(repeating: "p", count: 7000))] },
        .token("malformed", "encoded in base64 once more") { Data($0.utf8).base64EncodedString() },
        .token("malformed", "three parts separated by dots") { _ in "810 bytes" },
        .token("malformed", "signature of the identity token is not base64url") { $0 + "==" },
        .token("malformed", "has the member sub twice") { token in
            let parts = token.split(separator: ".")
            return "\(parts[0]).\(Base64URL.encode(Array(#"{"sub":"a","sub":"b"}"#.utf8))).\(parts[2])"
        },
        .order("nonce", "has a nonce, and the request has none") { $0.claims = ["nonce": "in the token only"] },
        .body("nonce", "has a nonce, and the token has none. Set request.nonce") {
            $0["nonce"] = "in the request only"
        },
        Detail(
            reason: "nonce", words: "another nonce than the request", adjust: { $0.nonce = "n-1" },
            change: { $0["nonce"] = "n-2" }),
        .body("code", "from the same authorization") { $0["authorizationCode"] = "another" },
        .body("user", "from the same authorization") { $0["userIdentifier"] = "another" },
    ]

    @Test("The detail names the fault of the login, and repeats neither token nor nonce")
    func details() throws {
        let server = try SharedServers.standard(.handler)
        for given in Self.details {
            var body = server.apple.login("001.detail", given.adjust)
            let token = body["identityToken"]?.string ?? ""
            given.change(&body)
            let response = try server.send(.post("/api/auth/apple", body))
            let detail = try #require(response["detail"]?.string)
            #expect(response.status == 401 && response["reason"]?.string == given.reason, "\(given) \(detail)")
            #expect(detail.contains(given.words), "\(detail)")
            let secrets =
                token.split(separator: ".").map(String.init) + ["n-1", "n-2", "in the token only", "another\""]
            for secret in secrets { #expect(!detail.contains(secret), "\(detail)") }
        }
    }

    @Test("The log has the reason of a refusal, and neither the cause nor a name of the token")
    func log() throws {
        let server = try InProcessServer()
        let login = server.apple.login("001.logged") { $0.audience = "com.example.loggable" }
        #expect(server.send(.post("/api/auth/apple", login))["reason"] == "audience")
        #expect(server.log.contains(#""reason":"audience""#))
        #expect(!server.log.contains("loggable"))
    }
}

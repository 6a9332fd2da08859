import Foundation
import FoundationNetworking
import GatehouseClient
import TestSupport
import Testing

@testable import ServerSupport

/// Logins by a code that the server sends, with a server that answers as a test has planned.
@Suite("App: codes")
struct AppClientCodeTests {
    private let app = BoundAppFixture()

    private func sentCode(_ destination: CodeDestination = .phone("+8613800138000")) async throws -> SentCode {
        try await app.client().requestCode(to: destination)
    }

    // MARK: Requesting

    @Test("A request for a code names the channel and the address as the user wrote it, and begins no session")
    func request() async throws {
        let client = app.client()
        let phone = try await client.requestCode(to: .phone("+86 138 0013 8000"))
        let mail = try await client.requestCode(to: .email("Mia@example.com"))
        let seen = app.server.seen("/api/auth/codes")
        #expect(
            seen.map(\.body) == [
                ["channel": "phone", "to": "+86 138 0013 8000"], ["channel": "email", "to": "Mia@example.com"],
            ])
        #expect(seen.allSatisfy { $0.method == "POST" && $0.authorization == nil })
        #expect(phone.to.provider == .phone && mail.to.provider == .email && mail.to.address == "Mia@example.com")
        #expect(phone.id == "code_1" && phone.expiresIn == 600 && phone.resendAfter == 60)
        #expect(client.state == .unknown(.notRead))
    }

    @Test("A code that is sent again has the id of the first, and the answer's id is used from then on")
    func resend() async throws {
        let client = app.client()
        let first = try await client.requestCode(to: .phone("+8613800138000"))
        let second = try await client.requestCode(to: first.to, resending: first)
        #expect(app.server.seen("codes").map { $0.body?["codeId"] } == [nil, "code_1"])
        try await client.signIn(code: "123456", for: second)
        #expect(app.server.seen().last?.path == "/api/auth/codes/code_2")
    }

    @Test("The times of a code count from the answer, by the device's clock")
    func times() throws {
        let time = Date(timeIntervalSince1970: 1_000_000)
        let sent = SentCode(id: "c", to: .email("m@example.com"), expiresIn: 600, resendAfter: 60, sentAt: time)
        #expect(sent.expiresAt.timeIntervalSince(time) == 600 && sent.resendAt.timeIntervalSince(time) == 60)
        #expect(try JSONDecoder().decode(SentCode.self, from: JSONEncoder().encode(sent)) == sent)
    }

    static let failures: [BoundServer.Plan] = [
        .loseAnswer, .loseRequest, .problem(503, "delivery_unavailable"), .problem(503, "storage_unavailable"),
        .problem(429, "too_many_codes", headers: ["Retry-After": "1"]), .problem(408, "request_timeout"),
        .answer(502, body: "<html>of a proxy</html>"), .answer(200, body: "<html>of a captive portal</html>"),
    ]

    @Test("A request for a code is sent once, whatever becomes of it", arguments: failures)
    func requestedOnce(failure: BoundServer.Plan) async throws {
        app.server.plan("codes", failure, failure)
        await #expect(throws: GatehouseError.self) { try await sentCode() }
        #expect(app.server.seen().count == 1 && app.clock.pauses == [])
    }

    @Test(
        "Too many codes say how long to wait, up to a day",
        arguments: [(3600, 3600), (40_000, 40_000), (999_999, 86_400)])
    func tooMany(seconds: Int, duration: Int) async throws {
        app.server.plan("codes", .problem(429, "too_many_codes", headers: ["Retry-After": "\(seconds)"]))
        let error = await #expect(throws: GatehouseError.self) { try await sentCode() }
        #expect(error?.code == .tooManyCodes && error?.retryAfter == .seconds(duration) && error?.isTemporary == true)
    }

    // MARK: Signing in

    @Test("A login by a code has the code and the nickname, and is bound to a key")
    func signIn() async throws {
        let client = app.client()
        let sent = try await client.requestCode(to: .phone("+8613800138000"))
        let session = try await client.signIn(code: "123456", for: sent, nickname: "Mia")
        let seen = try #require(app.server.seen("/api/auth/codes/code_1").first)
        #expect(seen.body == ["code": "123456", "nickname": "Mia"] && seen.authorization == nil)
        #expect(seen.proof?["htu"] == "https://api.example.com/api/auth/codes/code_1" && app.server.faults == [])
        #expect(client.state == .signedIn(session) && app.stored.contains(app.keys.names.first ?? "none"))
        #expect(await client.loginProvider == .phone)
        #expect(try await client.user().id == "user_1")
        #expect(app.server.seen("me").first?.authorization == "DPoP access2")
    }

    @Test(
        "A typed code is sent in ASCII digits, without spaces",
        arguments: ["123456", " 123 456\n", "１２３４５６", "١٢٣٤٥٦", "१२३४५६", "123\u{A0}456"])
    func typed(code: String) async throws {
        let client = app.client()
        try await client.signIn(code: code, for: SentCode(id: "code_1", to: .email("m@example.com")))
        #expect(app.server.seen("code_1").first?.body == ["code": "123456"])
        #expect(await client.loginProvider == .email)
    }

    @Test("An id is one segment of the path, whatever it contains")
    func segment() async throws {
        _ = try? await app.client().signIn(code: "123456", for: SentCode(id: "code_/../../apple", to: .phone("+1")))
        #expect(app.server.seen().map(\.path) == ["/api/auth/codes/code_/%2E%2E/%2E%2E/apple"])
    }

    @Test("A login by a code is sent once, whatever becomes of it", arguments: failures)
    func signedInOnce(failure: BoundServer.Plan) async throws {
        let client = app.client()
        app.server.plan("code_1", failure, failure)
        await #expect(throws: GatehouseError.self) {
            try await client.signIn(code: "123456", for: SentCode(id: "code_1", to: .phone("+1")))
        }
        #expect(app.server.seen("code_1").count == 1 && client.state == .signedOut(nil))
    }

    @Test(
        "A refused code says why, and leaves the present session alone",
        arguments: [
            (401, "invalid_code", ProblemCode.invalidCode), (403, "stale_number", .staleNumber),
            (403, "user_disabled", .userDisabled),
        ])
    func refusedCode(status: Int, text: String, code: ProblemCode) async throws {
        let client = try await app.signedIn()
        let state = client.state
        app.server.plan("code_1", .problem(status, text))
        let error = await #expect(throws: GatehouseError.self) {
            try await client.signIn(code: "000000", for: SentCode(id: "code_1", to: .phone("+1")))
        }
        #expect(error?.code == code && client.state == state && app.server.seen("refresh").isEmpty)
    }

    @Test("Where the server may have used the code, the error says what another try means")
    func textOfUsedCode() async throws {
        app.server.plan("code_1", .problem(503, "storage_unavailable"))
        let error = await #expect(throws: GatehouseError.self) {
            try await app.client().signIn(code: "123456", for: SentCode(id: "code_1", to: .phone("+1")))
        }
        #expect(error?.description.contains("the user may try it once more") == true)
    }

    @Test("Neither the code, its id nor the address is printed")
    func printed() async throws {
        let sent = SentCode(id: "code_1", to: .phone("+8613800138000"))
        let mail = CodeDestination.email("mia@example.com")
        var texts = ["\(sent) \(sent.to) \(mail)", String(reflecting: sent), String(reflecting: [mail, sent.to])]
        for value in [sent, mail] as [Any] {
            var text = ""
            dump(value, to: &text)
            texts.append(text)
        }
        for text in texts {
            #expect(!text.contains("code_1") && !text.contains("138") && !text.contains("mia"), "\(text)")
        }
    }
}

extension GatehouseError {
    /// The code of a refusal.
    var code: ProblemCode? {
        if case .refused(let problem) = self { problem.code } else { nil }
    }
}

extension BoundServer.Plan {
    /// A refusal of the server.
    static func problem(
        _ status: Int, _ code: String, reason: String = "r", headers: [String: String] = [:]
    ) -> BoundServer.Plan {
        .answer(
            status, headers: headers,
            body: """
                {"type":"about:blank","title":"","status":\(status),"detail":"What is wrong.","code":"\(code)",
                "reason":"\(reason)","requestId":"r"}
                """)
    }
}

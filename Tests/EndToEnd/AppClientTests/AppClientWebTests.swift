import Foundation
import FoundationNetworking
import GatehouseClient
import TestSupport
import Testing

@testable import ServerSupport

/// Sign-ins in a browser, whose part a test plays, with a server that answers as the test has planned.
@Suite("App: a browser")
struct AppClientWebTests {
    private let app = BoundAppFixture()
    static let redirectURI = "com.example.app:/signed-in"

    private static func parameters(of url: URL) -> [String: String] {
        let items = URLComponents(url: url, resolvingAgainstBaseURL: true)?.queryItems ?? []
        return Dictionary(items.map { ($0.name, $0.value ?? "") }) { "\($0) and \($1)" }
    }

    private static func state(of webSignIn: WebSignIn) -> String { parameters(of: webSignIn.url)["state"] ?? "" }

    /// The address to which the server sends the browser.
    private static func answer(
        to webSignIn: WebSignIn, _ query: String = "code=c", redirectURI: String = redirectURI
    ) throws -> URL {
        let separator = redirectURI.contains("?") ? "&" : "?"
        return try #require(URL(string: "\(redirectURI)\(separator)\(query)&state=\(state(of: webSignIn))"))
    }

    // MARK: The address that the browser opens

    @Test("The code challenge is the one of RFC 7636, appendix B")
    func challenge() {
        let verifier = CodeVerifier("dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk")
        #expect(verifier.challenge == "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM")
    }

    @Test(
        "The library's SHA-256 gives the hashes of NIST's examples and those at the borders of a block",
        arguments: [
            (0, "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"),
            (55, "9f4390f8d30c2dd92ec9f095b65e2b9ae9b0a925a5258e241c9f1e910f734318"),
            (56, "b35439a4ac6f0948b6d6f9e3c6af0f5f590ce20f1bde7090ef7970686ec6738a"),
            (64, "ffe054fe7ae0cb6dc65c3af9b61d5209f439851db43d0ba5997337df154668eb"),
            (1_000_000, "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0"),
        ])
    func hash(length: Int, expected: String) {
        let hash = PortableSHA256.hash(Data(repeating: UInt8(ascii: "a"), count: length))
        #expect(hash.map { String(format: "%02x", $0) }.joined() == expected)
    }

    @Test(
        "The address has the provider in lower case, and the redirect URI as one value",
        arguments: [
            ("com.example.app:/signed-in", "com.example.app%3A%2Fsigned-in"),
            (
                "https://app.example.com/in?from=a&b=c+d%20e",
                "https%3A%2F%2Fapp.example.com%2Fin%3Ffrom%3Da%26b%3Dc%2Bd%2520e"
            ),
            ("http://127.0.0.1:49152/", "http%3A%2F%2F127.0.0.1%3A49152%2F"),
            ("http://[::1]:49152/signed-in", "http%3A%2F%2F%5B%3A%3A1%5D%3A49152%2Fsigned-in"),
        ])
    func address(redirectURI: String, encoded: String) throws {
        let webSignIn = try app.client().webSignIn(with: "Company_2", redirectURI: redirectURI)
        let text = webSignIn.url.absoluteString
        #expect(text.hasPrefix("https://api.example.com/api/auth/company_2/start?redirect_uri=\(encoded)&"))
        let parameters = Self.parameters(of: webSignIn.url)
        #expect(parameters["redirect_uri"] == redirectURI && parameters["response_type"] == "code")
        #expect(parameters["code_challenge_method"] == "S256" && parameters["code_challenge"]?.count == 43)
        #expect(parameters["state"]?.count == 43 && parameters.count == 5)
    }

    @Test("Each sign-in has a state and a verifier of its own, which it does not print")
    func random() throws {
        let made = try (0..<20).map { _ in try app.client().webSignIn(with: .google, redirectURI: Self.redirectURI) }
        let parameters = made.map { Self.parameters(of: $0.url) }
        #expect(Set(parameters.map { $0["state"] }).count == 20)
        #expect(Set(parameters.map { $0["code_challenge"] }).count == 20)
        #expect(made[0].description == "WebSignIn(GOOGLE …)" && Mirror(reflecting: made[0]).children.isEmpty)
    }

    @Test("A browser is sent to no server without TLS that is not on this device")
    func plain() throws {
        let client = GatehouseClient(
            URL(string: "http://api.example.com")!, store: MemorySessionStore(), transport: app.server)
        #expect(throws: WebSignInError.gatehouse(.untrustedOrigin("http://api.example.com:80"))) {
            try client.webSignIn(with: .google, redirectURI: Self.redirectURI)
        }
    }

    @Test("The program stops where a redirect URI has a fragment")
    func fault() async throws {
        let result = try await #require(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            let client = GatehouseClient(URL(string: "https://api.example.com")!, store: MemorySessionStore())
            _ = try client.webSignIn(with: .google, redirectURI: "https://app.example.com/#signed-in")
        }
        let text = String(decoding: result.standardErrorContent, as: UTF8.self)
        #expect(text.contains("give one such as com.example.app:/signed-in."), "\(text)")
    }

    // MARK: The answer

    @Test("The code is exchanged with the verifier of its challenge, as a login of the provider")
    func signsIn() async throws {
        let client = app.client()
        let redirectURI = "https://app.example.com/in?from=a"
        let webSignIn = try client.webSignIn(with: "company", redirectURI: redirectURI)
        let callback = try Self.answer(to: webSignIn, "code=a-b_c%7E", redirectURI: redirectURI)
        let session = try await client.signIn(completing: webSignIn, with: callback, nickname: "Ann")
        #expect(client.state == .signedIn(session))
        #expect(await client.loginProvider == "company")
        let body = try #require(app.server.seen("/api/auth/exchange").first?.body)
        #expect(body.keys.sorted() == ["code", "codeVerifier", "nickname", "redirectUri"])
        #expect(body["code"] == "a-b_c~" && body["redirectUri"] == redirectURI && body["nickname"] == "Ann")
        let verifier = CodeVerifier(body["codeVerifier"] ?? "")
        #expect(verifier.text.count == 43)
        #expect(verifier.challenge == Self.parameters(of: webSignIn.url)["code_challenge"])
    }

    @Test(
        "An answer of another party exchanges nothing, and the right one still signs in",
        arguments: [
            "?code=c", "?code=c&state=", "?code=c&state=AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA",
            "?code=c&state=STATE&state=STATE", "?error=access_denied&state=other", "?state=STATE", "?code=&state=STATE",
            "?code=c&code=d&state=STATE", "?code=c&state=STATEx", "#code=c&state=STATE", "",
        ])
    func foreign(query: String) async throws {
        let client = app.client()
        let webSignIn = try client.webSignIn(with: .google, redirectURI: Self.redirectURI)
        let state = Self.state(of: webSignIn)
        let callback = try #require(URL(string: Self.redirectURI + query.replacing("STATE", with: state)))
        await #expect(throws: WebSignInError.invalidAnswer) {
            try await client.signIn(completing: webSignIn, with: callback)
        }
        #expect(app.server.seen().isEmpty)
        try await client.signIn(completing: webSignIn, with: Self.answer(to: webSignIn))
    }

    @Test("A state that differs in any one character is refused, and so is one that differs in all")
    func state() async throws {
        let client = app.client()
        let webSignIn = try client.webSignIn(with: .google, redirectURI: Self.redirectURI)
        let right = Array(Self.state(of: webSignIn))
        let characters = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_")
        var guesses = characters.map { String(repeating: $0, count: right.count) }
        for place in right.indices {
            for character in characters where character != right[place] {
                guesses.append(String(right[..<place] + [character] + right[(place + 1)...]))
            }
        }
        for guess in guesses {
            let callback = try #require(URL(string: "\(Self.redirectURI)?code=c&state=\(guess)"))
            await #expect(throws: WebSignInError.invalidAnswer) {
                try await client.signIn(completing: webSignIn, with: callback)
            }
        }
        #expect(app.server.seen().isEmpty)
        try await client.signIn(completing: webSignIn, with: Self.answer(to: webSignIn))
    }

    @Test("With the issuer given, an answer of another one or of none exchanges nothing")
    func issuer() async throws {
        let client = app.client()
        let webSignIn = try client.webSignIn(
            with: .google, redirectURI: Self.redirectURI, issuer: "https://api.example.com")
        for query in ["code=c", "code=c&iss=https%3A%2F%2Fapi.example.org", "error=access_denied"] {
            await #expect(throws: WebSignInError.invalidAnswer) {
                try await client.signIn(completing: webSignIn, with: Self.answer(to: webSignIn, query))
            }
        }
        try await client.signIn(
            completing: webSignIn, with: Self.answer(to: webSignIn, "code=c&iss=https%3A%2F%2Fapi.example.com"))
        #expect(app.server.seen("exchange").count == 1)
    }

    @Test("An error of the answer has its code and its cause, and exchanges nothing")
    func refusals() async throws {
        let table: [(String, WebSignInError, isTemporary: Bool)] = [
            ("error=access_denied&error_description=No.", .declined, false),
            (
                "error=temporarily_unavailable&error_description=Try%20it+later.",
                .refused(WebRefusal(code: "temporarily_unavailable", detail: "Try it later.")), true
            ),
            ("error=server_error", .refused(WebRefusal(code: "server_error")), false),
            ("error=of_tomorrow&code=c", .refused(WebRefusal(code: "of_tomorrow")), false),
        ]
        let client = app.client()
        for (query, expected, isTemporary) in table {
            let webSignIn = try client.webSignIn(with: .google, redirectURI: Self.redirectURI)
            let error = await #expect(throws: expected) {
                try await client.signIn(completing: webSignIn, with: Self.answer(to: webSignIn, query))
            }
            #expect(error?.isTemporary == isTemporary)
        }
        #expect(app.server.seen().isEmpty && client.state == .unknown(.notRead))
    }

    // MARK: A code is sent once

    @Test("An exchange is sent once, whatever becomes of it", arguments: AppClientProviderTests.failures)
    func once(failure: BoundServer.Plan) async throws {
        let client = app.client()
        app.server.plan("exchange", failure, failure)
        let webSignIn = try client.webSignIn(with: .google, redirectURI: Self.redirectURI)
        let callback = try Self.answer(to: webSignIn)
        await #expect(throws: WebSignInError.self) { try await client.signIn(completing: webSignIn, with: callback) }
        await #expect(throws: WebSignInError.invalidAnswer) {
            try await client.signIn(completing: webSignIn, with: callback)
        }
        #expect(app.server.seen("exchange").count == 1 && app.clock.pauses == [])
    }

    @Test("After a lost answer, another sign-in may succeed; a refused code says to sign in again")
    func errors() async throws {
        let client = app.client()
        app.server.plan(
            "exchange", .loseAnswer, .problem(400, "invalid_grant"), .problem(503, "storage_unavailable"))
        var errors: [WebSignInError] = []
        for _ in 0..<3 {
            let webSignIn = try client.webSignIn(with: .google, redirectURI: Self.redirectURI)
            let error = await #expect(throws: WebSignInError.self) {
                try await client.signIn(completing: webSignIn, with: Self.answer(to: webSignIn))
            }
            errors.append(try #require(error))
        }
        #expect(errors.map(\.isTemporary) == [true, false, true])
        #expect(errors[0] == .gatehouse(.noAnswer(.networkConnectionLost)))
        guard case .gatehouse(.refused(let problem)) = errors[1] else { return #expect(Bool(false), "\(errors[1])") }
        #expect(problem.code == .invalidGrant)
        #expect("\(errors[2])".contains("sign in again in the browser"))
    }

    // MARK: Bound sessions

    @Test(
        "An exchange sends a proof, and again with the server's nonce, which the server demands before it uses the code"
    )
    func bound() async throws {
        let client = app.client()
        app.server.plan("exchange", .refuse("nonce", headers: ["DPoP-Nonce": "n"]))
        let webSignIn = try client.webSignIn(with: .google, redirectURI: Self.redirectURI)
        try await client.signIn(completing: webSignIn, with: Self.answer(to: webSignIn))
        let seen = app.server.seen("exchange")
        #expect(seen.map { $0.proof?["nonce"] } == [nil, "n"] && seen[0].body == seen[1].body)
        #expect(app.keys.names.count == 1 && app.server.faults == [])
        #expect(try await client.user().id == "user_1")
        #expect(app.server.seen("me").last?.authorization == "DPoP access1")
    }

    @Test("A cancelled exchange ends the session that the server begins")
    func cancelled() async throws {
        let client = app.client()
        let gate = Gate()
        app.server.plan("exchange", .hold(gate))
        let webSignIn = try client.webSignIn(with: .google, redirectURI: Self.redirectURI)
        let callback = try Self.answer(to: webSignIn)
        let login = Task { try await client.signIn(completing: webSignIn, with: callback) }
        await gate.arrival()
        login.cancel()
        await #expect(throws: WebSignInError.cancelled) { try await login.value }
        await gate.open()
        let isEnded = try await Eventually.becomesTrue { app.server.seen("logout").count == 1 }
        #expect(isEnded && app.server.seen("exchange").count == 1)
    }

    @Test("Without a server, a user of the canned transport signs in")
    func canned() async throws {
        let user = User(id: "user_1", nickname: "Ann")
        let client = GatehouseClient(
            BoundAppFixture.url, store: MemorySessionStore(), transport: CannedTransport(user: user))
        let webSignIn = try client.webSignIn(with: .google, redirectURI: Self.redirectURI)
        #expect(try await client.signIn(completing: webSignIn, with: Self.answer(to: webSignIn)).user == user)
    }
}

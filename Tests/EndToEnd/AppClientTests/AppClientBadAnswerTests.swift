import Foundation
import GatehouseClient
import JSON
import TestSupport
import Testing

@testable import ServerSupport

/// No answer but the server's own refusal ends a session.
@Suite("App: bad answers")
struct AppClientBadAnswerTests {
    private let app: AppClientFixture

    init() throws { app = try AppClientFixture() }

    struct BadAnswer: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let fault: FaultyTransport.Fault
    }

    private static let captivePortal = "<html><body>Login page of a network</body></html>"

    static let answers: [BadAnswer] =
        [500, 502, 503, 504, 507, 511, 429, 408, 401, 403, 404, 302, 200, 204].map { status in
            BadAnswer(
                testDescription: "\(status) with a page",
                fault: .answer(status, headers: ["Content-Type": "text/html"], body: captivePortal))
        } + [
            BadAnswer(
                testDescription: "503 of the store",
                fault: .answer(503, body: FaultyTransport.problem(503, "storage_unavailable"))),
            BadAnswer(
                testDescription: "429 of nginx",
                fault: .answer(429, body: FaultyTransport.problem(429, "too_many_requests"))),
            BadAnswer(
                testDescription: "500 of the server",
                fault: .answer(500, body: FaultyTransport.problem(500, "internal_error"))),
            BadAnswer(
                testDescription: "401 with another code",
                fault: .answer(401, body: FaultyTransport.problem(401, "of_tomorrow"))),
            BadAnswer(
                testDescription: "a code with another status",
                fault: .answer(401, body: FaultyTransport.problem(200, "refresh_token_reused"))),
            BadAnswer(testDescription: "garbage", fault: .answer(200, body: "\u{0}\u{1}{{{")),
            BadAnswer(testDescription: "tokens of another type", fault: .answer(200, body: #"{"accessToken":1}"#)),
            BadAnswer(testDescription: "an empty body", fault: .answer(200)),
            BadAnswer(testDescription: "time-out", fault: .loseRequest(.timedOut)),
            BadAnswer(testDescription: "no network", fault: .loseRequest(.notConnectedToInternet)),
            BadAnswer(testDescription: "an invalid certificate", fault: .loseRequest(.serverCertificateUntrusted)),
            BadAnswer(testDescription: "a lost answer", fault: .loseAnswer),
        ]

    @Test("A refresh that was answered badly keeps the session, and a later one succeeds", arguments: answers)
    func keepsSession(answer: BadAnswer) async throws {
        let store = FaultyStore()
        let client = try await app.signedIn(store)
        let contents = store.contents
        app.expireToken()
        app.transport.plan("auth/refresh", answer.fault, times: 3)
        await #expect(throws: GatehouseError.self) { try await client.accessToken() }
        guard case .signedIn = client.state else { return #expect(Bool(false), "\(client.state)") }
        #expect(store.contents == contents)
        app.expireToken()
        // A refusal is not repeated by the client, so that some of the bad answers are left.
        for _ in 0..<2 { _ = try? await client.user() }
        #expect(try await client.user().status == .active)
        #expect(app.transport.sent("auth/refresh").count == 4)
    }

    @Test(
        "A logout that was answered badly is delivered later",
        arguments: answers.filter { $0.testDescription != "204 with a page" }.sampled(every: 3))
    func keepsLogout(answer: BadAnswer) async throws {
        let client = try await app.signedIn()
        app.transport.plan("auth/logout", answer.fault)
        #expect(await client.signOut() == .queued)
        #expect(await client.deliverLogouts())
    }

    @Test(
        "Retry-After is waited for: shortly by the client, longer by the caller, and nothing is sent before",
        arguments: [503, 429])
    func retryAfter(status: Int) async throws {
        let client = try await app.signedIn()
        app.expireToken()
        let body = FaultyTransport.problem(status, "too_many_requests")
        app.transport.plan("auth/refresh", .answer(status, headers: ["Retry-After": "3"], body: body))
        _ = try await client.accessToken()
        #expect(app.clock.pauses.last == .seconds(3))

        app.expireToken()
        app.transport.plan("auth/refresh", .answer(status, headers: ["Retry-After": "120"], body: body))
        for _ in 0..<3 {
            await #expect { _ = try await client.accessToken() } throws: {
                ($0 as? GatehouseError)?.retryAfter == .seconds(120)
            }
        }
        #expect(app.transport.sent("auth/refresh").count == 3)
        app.clock.advance(by: .seconds(121))
        _ = try await client.accessToken()
        #expect(app.transport.sent("auth/refresh").count == 4)
    }

    @Test("Retry-After of the last attempt is waited for as well")
    func lastRetryAfter() async throws {
        let client = try await app.signedIn()
        app.expireToken()
        app.clock.stop()
        let body = FaultyTransport.problem(503, "storage_unavailable")
        app.transport.plan("auth/refresh", .answer(503, headers: ["Retry-After": "3"], body: body), times: 3)
        for _ in 0..<3 { await #expect(throws: GatehouseError.self) { try await client.accessToken() } }
        #expect(app.transport.sent("auth/refresh").count == 3)
    }

    @Test("A deletion that was answered badly does not sign out", arguments: [200, 201, 503])
    func keepsAccount(status: Int) async throws {
        let client = try await app.signedIn()
        let before = client.state
        app.transport.plan("users/me", .answer(status, body: Self.captivePortal))
        await #expect(throws: GatehouseError.unexpectedAnswer(status: status, retryAfter: nil)) {
            try await client.deleteAccount(authorizationCode: nil)
        }
        #expect(client.state == before)
        #expect(try await client.user().status == .active)
    }

    @Test("A refused login says why, and keeps the session that there was")
    func refusedLogin() async throws {
        let client = try await app.signedIn()
        let before = client.state
        let error = await #expect(throws: GatehouseError.self) {
            try await client.signIn(apple: AppleLogin(identityToken: "810 bytes"))
        }
        guard case .refused(let problem) = error else { return #expect(Bool(false), "\(String(describing: error))") }
        #expect(problem.code == .invalidAppleToken)
        #expect(problem.reason == .malformed)
        #expect(problem.requestId != nil)
        #expect(problem.description.contains("malformed"))
        #expect(client.state == before)
    }

    @Test("The text of a refused request has each invalid member once")
    func invalidRequest() async throws {
        let client = try await app.signedIn()
        let error = await #expect(throws: GatehouseError.self) {
            try await client.update(ProfileChange(nickname: .set(String(repeating: "a", count: 5000))))
        }
        guard case .refused(let problem)? = error, let field = problem.errors.first else {
            return #expect(Bool(false), "\(String(describing: error))")
        }
        #expect(problem.description.components(separatedBy: field.message).count == 2, "\(problem)")
        #expect(problem.description.contains("nickname"))
    }

    /// Codes that came later are no cases, so that a switch of an app over all cases stays complete.
    private static let laterCodes: [ProblemCode] = [
        .invalidDPoPProof, .invalidIdentity, .providerUnavailable, .unknownProvider, .invalidCode, .tooManyCodes,
        .deliveryUnavailable, .countryNotServed, .staleNumber, .phoneRequired, .invalidGrant, .invalidState,
        .invalidRedirectURI, .originNotAllowed, .invalidPasskey, .tooManyPasskeys,
        .insufficientAuthentication, .reasonRequired, .ownAccount, .mergeConflict, .notMerged, .guest, .tooManyGuests,
        .userIsGuest,
    ]

    /// Codes that only services of the operator get.
    private static let codesForServices: Set = [
        "invalid_service_token", "invalid_attributes", "precondition_required",
    ]

    @Test("Every code of the API for apps has a name, and unknown ones survive")
    func codes() throws {
        let document = try String(
            contentsOfFile: Executable.root + "/Sources/Server/OpenAPIFile/openapi.json", encoding: .utf8)
        let schemas = try JSONValue(parsing: Array(document.utf8)).object?["components"]?.object?["schemas"]?.object
        func values(_ name: String) -> [String] {
            schemas?[name]?.object?["x-extensible-enum"]?.array?.compactMap(\.string) ?? []
        }
        #expect(values("ProblemCode").count > 40)
        for code in values("ProblemCode") where !Self.codesForServices.contains(code) {
            if case .other = ProblemCode(code), !Self.laterCodes.contains(ProblemCode(code)) {
                #expect(Bool(false), "\(code) has no name")
            }
            #expect(ProblemCode(code).description == code)
        }
        #expect(ProblemCode("of_tomorrow") == .other("of_tomorrow"))
        #expect(ProblemCode("of_tomorrow").description == "of_tomorrow")
    }
}

import Foundation
import JSON
import StoreSupport
import TestSupport
import Testing

@testable import ServerSupport

/// Everything that the document lists is answered. All other tests check that nothing else is answered: see
/// `ExchangeCheck`.
@Suite("Documented answers")
struct DocumentedAnswerTests {
    struct Case: Sendable, CustomTestStringConvertible {
        let operation: APIOperation
        let problem: APIProblem
        var testDescription: String { "\(operation.id) \(problem)" }
    }

    private static let operations = (try? APIDocument.current.get().operations) ?? []

    static let cases = operations.flatMap { operation in
        operation.problems.sorted { $0.description < $1.description }
            .filter { !Provocation.codesOfNginx.contains($0.code) }
            .map { Case(operation: operation, problem: $0) }
    }

    @Test("The document can be read, and lists problems")
    func document() {
        #expect(Self.cases.count > 100)
    }

    @Test("An operation answers each problem that the document lists for it", arguments: cases)
    func problem(_ given: Case) throws {
        // A database on a server is read in the background: the guard goes on for half a minute, and so does introspection.
        let fromMemory = ["verify 503 storage_unavailable", "introspectToken 503 storage_unavailable"]
        if TestDatabase.isOnServer, fromMemory.contains(given.testDescription) { return }
        let response = try Provocation(operation: given.operation, problem: given.problem).response()
        #expect(response.status == given.problem.status)
        #expect(response.code == given.problem.code)
    }

    @Test("An operation answers each status of a success that the document lists for it", arguments: operations)
    func success(_ operation: APIOperation) throws {
        #expect(!operation.successStatuses.isEmpty)
        for status in operation.successStatuses {
            let fixture = try ExampleFixture(operation) { variables in
                TestSettings.publishKeys(&variables)
                TestSettings.publishPasskeys(&variables)
            }
            // The server is ready once it has Apple's keys.
            fixture.logInWithApple("another")
            if operation.id == "unlinkAccount" { fixture.logInWithApple("example") }
            let response = fixture.send { request in
                if status == 304 { request.headers.append(("If-None-Match", "*")) }
                if operation.id == "refresh", status == 204 { request = Self.anonymousRefresh }
            }
            #expect(response.status == status, "\(operation.id) \(response.code ?? "")")
        }
    }

    /// Of a page whose browser has no session.
    private static let anonymousRefresh = TestRequest(
        method: "POST", path: "/api/auth/refresh?session=optional", headers: [("Origin", WebSignInFixture.origin)])

    @Test("An account that has Apple's tokens is deleted with the documented headers")
    func deletionHeaders() throws {
        let fixture = try ExampleFixture(#require(APIDocument.current.get().operation("deleteUser")))
        fixture.becomeAppleUser()
        let response = fixture.send()
        #expect(response.status == 204)
        #expect(response.header("x-apple-revocation") == "by-hand")
        #expect(response.header("link") != nil)
    }

    // MARK: - Answers of nginx

    private func requests(for code: String) throws -> [(operation: APIOperation, request: TestRequest)] {
        try Self.operations.filter { $0.problems.contains { $0.code == code } }
            .map { (operation: $0, request: try ExampleFixture($0).request()) }
    }

    @Test("nginx answers for a responder that is down or hangs, for every operation")
    func noResponder() throws {
        for (signal, problem) in [
            (SIGSTOP, APIProblem(status: 504, code: "gateway_timeout")),
            (SIGKILL, APIProblem(status: 502, code: "bad_gateway")),
        ] {
            let nginx = try LocalNginx(values: ["RESPONDER_TIMEOUT": "1s"])
            nginx.server.backend.process.signal(signal)
            defer { nginx.server.backend.process.signal(SIGCONT) }
            if signal == SIGKILL { _ = nginx.server.backend.process.wait() }
            let requests = try requests(for: problem.code)
            #expect(requests.count == Self.operations.count - 1, "all but the guard")
            // Each request takes as long as nginx waits for the responder.
            let responses = try Concurrently.run(requests.count) { index in
                try nginx.send(requests[index].request, of: requests[index].operation)
            }
            for (given, response) in zip(requests, responses) {
                let path = given.operation.path
                #expect(response.status == problem.status && response.code == problem.code, "\(path)")
                #expect(response.header("retry-after") != nil, "\(path)")
            }
        }
    }

    @Test("nginx answers 413 and 429 for every operation that clients reach")
    func limits() throws {
        let rates = [
            "LOGIN_RATE": "1r/m", "LOGIN_BURST": "1", "AUTH_RATE": "1r/m", "API_RATE": "1r/m", "API_BURST": "1",
        ]
        let (standard, limited) = (try ServerBehindNginx(), try ServerBehindNginx(values: rates))
        for (operation, request) in try requests(for: "too_many_requests") {
            #expect(!operation.isInternal)
            // The first two requests of an address may pass.
            let statuses = try (0..<3).map { _ in try limited.send(request).status }
            #expect(statuses.last == 429, "\(request.path)")
            var large = request
            large.body = [UInt8](repeating: 120, count: 65_537)
            #expect(try standard.send(large).code == "payload_too_large", "\(request.path)")
        }
    }
}

/// nginx with a local listener, which also reaches the operations for the machine itself.
private struct LocalNginx: Sendable {
    let server: ServerBehindNginx
    private let port: UInt16

    init(values: [String: String]) throws {
        port = try FreePort.any()
        server = try ServerBehindNginx(
            values: values.merging(["LISTEN_LOCAL": "127.0.0.1:\(port)"]) { own, _ in own })
    }

    func send(_ request: TestRequest, of operation: APIOperation) throws -> TestResponse {
        guard operation.isInternal else { return try server.send(request) }
        return try server.send(request, at: "http://127.0.0.1:\(port)")
    }
}

import JSON
import StandIn
import TestSupport

/// Uses access tokens at the API and at a guarded location, with one connection for all requests.
final class TokenClient {
    enum Endpoint: String, Sendable, CaseIterable {
        case api
        case guarded
    }

    let server: ServerProcess
    private let nginx: ServerBehindNginx?
    private var peer: FastCGIPeer

    init(_ environment: TestEnvironment) throws {
        // Any content will do, because the test checks only whether the guard accepts the request.
        let location = "location /notes/ { include snippets/gatehouse-guard.conf; empty_gif; }"
        nginx = environment == .nginx ? try ServerBehindNginx(locations: location) : nil
        server = try nginx?.backend ?? ServerProcess()
        peer = try server.connect()
    }

    /// At the socket of this server.
    init(_ server: ServerProcess) throws {
        (self.server, nginx, peer) = (server, nil, try server.connect())
    }

    func send(_ request: TestRequest) throws -> TestResponse {
        try nginx?.send(request) ?? peer.exchange(request)
    }

    /// The status and the error code for a request with this token.
    func ask(_ endpoint: Endpoint, _ accessToken: String) throws -> String {
        let guarded = nginx == nil ? "/api/auth/verify" : "/notes/1"
        let response = try send(.get(endpoint == .api ? "/api/users/me" : guarded, bearer: accessToken))
        return "\(response.status) \(response.code ?? "")"
    }

    func logIn(_ subject: String) throws -> TestResponse {
        try send(.post("/api/auth/apple", server.apple.login(subject) { $0.email = subject + "@example.com" }))
    }

    func refresh(_ token: String) throws -> TestResponse {
        try send(.post("/api/auth/refresh", ["refreshToken": .string(token)]))
    }

    func accepts(_ accessToken: String, at endpoint: Endpoint) throws -> Bool {
        try ask(endpoint, accessToken).hasPrefix("20")
    }

    func killAndRestart() throws {
        try server.killAndRestart()
        peer = try server.connect()
    }
}

extension TestResponse {
    var userID: String { json["user"]?.object?["id"]?.string ?? "" }
}

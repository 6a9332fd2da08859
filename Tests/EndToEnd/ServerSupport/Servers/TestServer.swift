import JOSE
import JSON
import TestSupport

/// A Gatehouse that answers the requests of a test, with a fake Apple for it.
///
/// - `InProcessServer`: the request handler in this process, with a clock that tests can advance
/// - `ServerProcess`: `gatehouse serve`, which gets requests over FastCGI
/// - `ServerBehindNginx`: a `ServerProcess` behind the shipped nginx configuration
/// - `ManagedServer`: `gatehouse serve` under a service manager
///
/// Three more put a `ServerProcess` into a situation: `ServerWithConfigurationFile`, `ServerBehindBalancer` and `TwoNodes`.
/// A `DevelopmentServer` is all of `deploy/run`.
protocol TestServer: Sendable {
    var apple: FakeAppleIssuer { get }

    func send(_ request: TestRequest) throws -> TestResponse

    /// Sends the same request several times concurrently.
    func send(_ request: TestRequest, timesAtOnce count: Int) throws -> [TestResponse]
}

extension TestServer {
    func send(_ request: TestRequest, timesAtOnce count: Int) throws -> [TestResponse] {
        try Concurrently.run(count) { _ in try send(request) }
    }

    static var devSecret: String { "a secret for development" }

    /// Logs in with the development secret.
    func devLogin(_ email: String, nickname: String? = nil) throws -> TestResponse {
        var body: JSONObject = ["email": .string(email), "devSecret": .string(Self.devSecret)]
        if let nickname { body["nickname"] = .string(nickname) }
        return try send(.post("/api/auth/dev-login", body))
    }

    func refresh(_ token: String) throws -> TestResponse {
        try send(.refresh(token))
    }

    func me(_ accessToken: String) throws -> TestResponse {
        try send(.get("/api/users/me", bearer: accessToken))
    }

    func verify(_ accessToken: String) throws -> TestResponse {
        try send(.get("/api/auth/verify", bearer: accessToken))
    }
}

extension TestResponse {
    var accessToken: String { json["accessToken"]?.string ?? "" }
    var refreshToken: String { json["refreshToken"]?.string ?? "" }

    var refreshClaims: JSONObject { Self.claims(of: refreshToken) }
    var accessClaims: JSONObject { Self.claims(of: accessToken) }

    private static func claims(of token: String) -> JSONObject {
        let parts = token.split(separator: ".")
        guard parts.count == 3, let payload = Base64URL.decode(String(parts[1])) else { return [:] }
        return (try? JSONValue(parsing: payload))?.object ?? [:]
    }

    var generation: Int64? { refreshClaims["gen"]?.integer }
}

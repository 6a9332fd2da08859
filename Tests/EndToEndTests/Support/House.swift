import JOSE
import JSON
import TestSupport

/// A Gatehouse that answers, with a fake Apple beside it.
protocol House: Sendable {
    var apple: FakeAppleStand { get }

    func send(_ call: Call) throws -> Answer

    /// The same call by so many at the same moment.
    func send(_ call: Call, timesAtOnce count: Int) throws -> [Answer]
}

extension House {
    func send(_ call: Call, timesAtOnce count: Int) throws -> [Answer] {
        try Crowd.of(count) { _ in try send(call) }
    }

    static var devSecret: String { "a secret for development" }

    /// Signs in by the development secret.
    func devLogin(_ email: String, nickname: String? = nil) throws -> Answer {
        var body: JSONObject = ["email": .string(email), "devSecret": .string(Self.devSecret)]
        if let nickname { body["nickname"] = .string(nickname) }
        return try send(.post("/api/auth/dev-login", body))
    }

    func refresh(_ token: String) throws -> Answer {
        try send(.refresh(token))
    }

    func me(_ accessToken: String) throws -> Answer {
        try send(.get("/api/users/me", bearer: accessToken))
    }

    func verify(_ accessToken: String) throws -> Answer {
        try send(.get("/api/auth/verify", bearer: accessToken))
    }
}

extension Answer {
    var accessToken: String { json["accessToken"]?.string ?? "" }
    var refreshToken: String { json["refreshToken"]?.string ?? "" }

    /// The claims of the refresh token.
    var refreshClaims: JSONObject {
        let parts = refreshToken.split(separator: ".")
        guard parts.count == 3, let payload = Base64URL.decode(String(parts[1])) else { return [:] }
        return (try? JSONValue(parsing: payload))?.object ?? [:]
    }

    var generation: Int64? { refreshClaims["gen"]?.integer }
}

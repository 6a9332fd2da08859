import JSON

/// A Gatehouse that answers, with a fake Apple beside it.
protocol House: Sendable {
    var apple: FakeAppleStand { get }

    func send(_ call: Call) throws -> Answer
}

extension House {
    static var devSecret: String { "a secret for development" }

    /// Signs in by the development secret.
    func devLogin(_ email: String, nickname: String? = nil) throws -> Answer {
        var body: JSONObject = ["email": .string(email), "devSecret": .string(Self.devSecret)]
        if let nickname { body["nickname"] = .string(nickname) }
        return try send(.post("/api/auth/dev-login", body))
    }

    func refresh(_ token: String) throws -> Answer {
        try send(.post("/api/auth/refresh", ["refreshToken": .string(token)]))
    }

    func me(_ accessToken: String) throws -> Answer {
        try send(.get("/api/users/me", bearer: accessToken))
    }
}

extension Answer {
    var accessToken: String { json["accessToken"]?.string ?? "" }
    var refreshToken: String { json["refreshToken"]?.string ?? "" }
}

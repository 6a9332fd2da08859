import JSON

/// What a code was exchanged for: one refresh token, and the access tokens that came of it.
struct Grant: Equatable {
    static let accessTokenLifetime: Int64 = 3600

    let person: Person
    let refreshToken: String
    /// With the time at which each of them expires.
    private(set) var accessTokens: [String: Int64] = [:]

    init(person: Person) {
        self.person = person
        refreshToken = RandomText.token("r")
    }

    mutating func newAccessToken(now: Int64) -> String {
        accessTokens = accessTokens.filter { $0.value > now }
        let token = RandomText.token("a")
        accessTokens[token] = now + Self.accessTokenLifetime
        return token
    }

    func owns(_ token: String) -> Bool { refreshToken == token || accessTokens[token] != nil }
}

extension Grant {
    var json: JSONObject {
        [
            "person": .object(person.json), "refreshToken": .string(refreshToken),
            "accessTokens": .object(JSONObject(accessTokens.map { ($0.key, .integer($0.value)) })),
        ]
    }

    /// Nil for what `json` did not write.
    init?(_ json: JSONObject) {
        guard let person = json["person"]?.object.flatMap(Person.init), let token = json["refreshToken"]?.string,
            let accessTokens = json["accessTokens"]?.object
        else { return nil }
        self.person = person
        refreshToken = token
        for (name, value) in accessTokens.members { self.accessTokens[name] = value.integer }
    }
}

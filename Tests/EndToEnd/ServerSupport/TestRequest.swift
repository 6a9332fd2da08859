import JSON

/// A request that can be sent in every environment.
struct TestRequest: Sendable {
    var method: String
    var path: String
    var headers: [(name: String, value: String)] = []
    var body: [UInt8] = []
    /// The role that the web server's configuration requires. A client cannot set it.
    var demandedRole: String?
    /// The same for the most seconds since the login.
    var demandedLogin: String?
    /// `on` where it lets guests pass.
    var admittedGuests: String?
    /// The attributes whose headers it sets.
    var attributeNames: String? = "plan,tenant_id,roles"
    /// As nginx makes one. A proof is used by the request with one id.
    var id = "test-request"
    /// The path and the query of the guarded request about which nginx asks the guard, if they are not those of this one.
    var guardedPath: String?

    /// The origin that clients of a server without nginx use.
    static let origin = "https://api.example.com"

    /// What a proof must be about, as nginx says it.
    var proofTarget: String? {
        header("DPoP").map { _ in "\(method) \(Self.origin)\(guardedPath ?? path)" }
    }

    static func get(_ path: String, bearer: String? = nil) -> TestRequest {
        TestRequest(method: "GET", path: path, headers: authorization(bearer))
    }

    static func post(_ path: String, _ json: JSONObject, bearer: String? = nil) -> TestRequest {
        TestRequest(
            method: "POST", path: path, headers: [("Content-Type", "application/json")] + authorization(bearer),
            body: json.bytes)
    }

    /// What a service sends to replace the attributes of a user.
    ///
    /// - Parameter version: of `If-Match`; nil for no such header.
    static func setAttributes(_ json: JSONObject, of user: String, _ version: String? = "*") -> TestRequest {
        var request = post("/users/\(user)/attributes", json, bearer: ServiceFixture.token)
        request.method = "PUT"
        if let version { request.headers.append(("If-Match", version)) }
        return request
    }

    static func post(_ path: String, bearer: String?) -> TestRequest {
        TestRequest(method: "POST", path: path, headers: authorization(bearer))
    }

    static func delete(_ path: String, bearer: String) -> TestRequest {
        TestRequest(method: "DELETE", path: path, headers: authorization(bearer))
    }

    static func form(_ path: String, _ parameters: String) -> TestRequest {
        TestRequest(
            method: "POST", path: path, headers: [("Content-Type", "application/x-www-form-urlencoded")],
            body: Array(parameters.utf8))
    }

    static func refresh(_ token: String) -> TestRequest {
        post("/api/auth/refresh", ["refreshToken": .string(token)])
    }

    /// The path without the query, as a web server passes it on.
    var documentPath: String { String(path.prefix { $0 != "?" }) }

    /// What stands after the question mark of the path.
    var query: String? { path.firstIndex(of: "?").map { String(path[path.index(after: $0)...]) } }

    func header(_ name: String) -> String? {
        headers.first { $0.name.lowercased() == name.lowercased() }?.value
    }

    private static func authorization(_ bearer: String?) -> [(name: String, value: String)] {
        bearer.map { [("Authorization", "Bearer " + $0)] } ?? []
    }
}

extension TestRequest {
    /// The request that a text in HTTP/1.1 contains; nil if its first line is malformed.
    init?(raw text: String) {
        let end = text.firstRange(of: "\r\n\r\n")
        let lines = text[..<(end?.lowerBound ?? text.endIndex)].split(separator: "\r\n")
        let words = lines.first?.split(separator: " ") ?? []
        guard words.count == 3 else { return nil }
        self.init(method: String(words[0]), path: String(words[1]))
        headers = lines.dropFirst().compactMap { line in
            line.firstIndex(of: ":").map { colon in
                (String(line[..<colon]), String(line[line.index(after: colon)...].drop { $0 == " " }))
            }
        }
        body = Array(text[(end?.upperBound ?? text.endIndex)...].utf8)
    }
}

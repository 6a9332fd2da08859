import JSON

/// A request, whatever world it is sent in.
struct Call: Sendable {
    var method: String
    var path: String
    var headers: [(name: String, value: String)] = []
    var body: [UInt8] = []
    /// What the configuration of a front demands, and no client can.
    var demandedRole: String?

    static func get(_ path: String, bearer: String? = nil) -> Call {
        Call(method: "GET", path: path, headers: authorization(bearer))
    }

    static func post(_ path: String, _ json: JSONObject, bearer: String? = nil) -> Call {
        Call(
            method: "POST", path: path, headers: [("Content-Type", "application/json")] + authorization(bearer),
            body: json.bytes)
    }

    static func post(_ path: String, bearer: String?) -> Call {
        Call(method: "POST", path: path, headers: authorization(bearer))
    }

    static func refresh(_ token: String) -> Call {
        post("/api/auth/refresh", ["refreshToken": .string(token)])
    }

    func header(_ name: String) -> String? {
        headers.first { $0.name.lowercased() == name.lowercased() }?.value
    }

    private static func authorization(_ bearer: String?) -> [(name: String, value: String)] {
        bearer.map { [("Authorization", "Bearer " + $0)] } ?? []
    }
}

import DevelopmentHTTP
import JOSE
import JSON

// The endpoints that control a provider.
extension OpenIDProvider {
    private static let controls = [
        "mint", "clients", "answers", "keys/rotate", "keys/turnover", "keys/faults", "requests", "events/mint",
    ]

    /// Checked before a provider is created, so that a request to another path creates none.
    static func isControl(_ path: String) -> Bool { controls.contains(path) }

    static let unknownPath = HTTPRefusal(
        "404 Not Found",
        "below /openid/NAME: \(endpoints.joined(separator: ", ")); to control it: "
            + controls.joined(separator: ", ") + " (the last one for google)")

    func control(_ request: HTTPRequest, at path: String, now: Int64) throws -> JSONObject {
        switch (request.method, path) {
        case ("GET", "mint"): return try mint(IdentityOrder(), now: now)
        case ("POST", "mint"): return try mint(try IdentityOrder(try request.object()), now: now)
        case ("POST", "events/mint") where isGoogle:
            return try mint(try SecurityEventOrder(try request.object()), now: now)
        case ("POST", "clients"):
            let usual = isGoogle ? Google.usualClient : Self.usualClient
            clients.register(try WebClient(try request.object(), usual: usual, names: ("id", "secret")))
        case ("POST", "answers"): forged.add(try ForgedAnswer(try request.object()))
        case ("DELETE", "answers"): forged.clear()
        case ("POST", "keys/rotate"): try keys.rotate()
        case ("POST", "keys/turnover"): try keys.turnOver()
        case ("GET", "keys/faults"): return faults.json
        case ("POST", "keys/faults"):
            faults = try OpenIDFaults(try request.object(), usualIssuer: usualIssuer)
        case ("DELETE", "keys/faults"): faults = OpenIDFaults(usualIssuer: usualIssuer)
        case ("GET", "requests"): return requestCounts
        case ("DELETE", "requests"): log.clear(below: "/openid/\(name)/")
        default: throw Self.unknownPath
        }
        return [:]
    }

    private var faults: OpenIDFaults {
        get {
            OpenIDFaults(
                discovery: discovery.settings, keys: keySet.settings, page: page.settings,
                token: tokenEndpoint.settings, settings: settings)
        }
        set {
            discovery.settings = newValue.discovery
            keySet.settings = newValue.keys
            page.settings = newValue.page
            tokenEndpoint.settings = newValue.token
            settings = newValue.settings
        }
    }

    private var requestCounts: JSONObject {
        let paths = [
            ("discovery", Self.discoveryPath), ("keys", Self.keysPath), ("authorize", Self.pagePath),
            ("token", Self.tokenPath),
        ]
        return JSONObject(paths.map { ($0, .integer(log.count(of: "/openid/\(name)/\($1)"))) })
    }

    private func mint(_ order: IdentityOrder, now: Int64) throws -> JSONObject {
        var result: JSONObject = ["identityToken": .string(try token(order, now: now))]
        result["nonce"] = order.nonce.map(JSONValue.string)
        result["accessToken"] = order.accessToken.map(JSONValue.string)
        return result
    }

    private func mint(_ order: SecurityEventOrder, now: Int64) throws -> JSONObject {
        let mint = SecurityEventMint(key: try keys.signing(.RS256), issuer: settings.issuer)
        return ["event": .string(try mint.event(order, now: now))]
    }
}

import DevelopmentHTTP
import JSON

/// How a provider answers at its endpoints: the body of `POST /openid/NAME/keys/faults`.
struct OpenIDFaults: Equatable {
    var discovery = AnswerSettings()
    var keys = AnswerSettings()
    var page = AnswerSettings()
    var token = AnswerSettings()
    var settings: OpenIDSettings

    init(
        discovery: AnswerSettings, keys: AnswerSettings, page: AnswerSettings, token: AnswerSettings,
        settings: OpenIDSettings
    ) {
        self.discovery = discovery
        self.keys = keys
        self.page = page
        self.token = token
        self.settings = settings
    }

    init(usualIssuer: String) {
        settings = OpenIDSettings(issuer: usualIssuer)
    }

    /// What a body leaves out is as usual. Refuses unknown members.
    init(_ json: JSONObject, usualIssuer: String) throws(HTTPRefusal) {
        self.init(usualIssuer: usualIssuer)
        for (name, value) in json.members { try take(name, value) }
    }

    private mutating func take(_ name: String, _ value: JSONValue) throws(HTTPRefusal) {
        switch (name, value, value.integer) {
        case ("discovery", .string(let text), _):
            discovery.mode = try AnswerSettings.mode(text, of: AnswerMode.ofDiscovery, member: name)
        case ("keys", .string(let text), _):
            keys.mode = try AnswerSettings.mode(text, of: AnswerMode.ofKeys, member: name)
        case ("authorize", .string(let text), _):
            page.mode = try AnswerSettings.mode(text, of: AnswerMode.ofSignIn, member: name)
        case ("token", .string(let text), _):
            token.mode = try AnswerSettings.mode(text, of: AnswerMode.ofSignIn, member: name)
        case ("seconds", _, let number?) where (0...AnswerSettings.maximumSeconds).contains(number):
            changeAll { $0.seconds = number }
        case ("status", _, let number?) where (200...599).contains(number):
            changeAll { $0.status = number }
        case ("issuer", .string(let text), _): settings.issuer = text
        case ("maxAge", .null, _): settings.maximumAge = nil
        case ("maxAge", _, let number?) where number >= 0: settings.maximumAge = number
        default: throw Self.refusal(name)
        }
    }

    private mutating func changeAll(_ change: (inout AnswerSettings) -> Void) {
        change(&discovery)
        change(&keys)
        change(&page)
        change(&token)
    }

    private static func refusal(_ name: String) -> HTTPRefusal {
        .invalid(
            "\(name): known are discovery (\(AnswerSettings.list(AnswerMode.ofDiscovery))), keys "
                + "(\(AnswerSettings.list(AnswerMode.ofKeys))), authorize and token "
                + "(\(AnswerSettings.list(AnswerMode.ofSignIn))), the text issuer, the numbers seconds, status, "
                + "and maxAge (a number or null)")
    }

    var json: JSONObject {
        [
            "discovery": .string(discovery.mode.rawValue), "keys": .string(keys.mode.rawValue),
            "authorize": .string(page.mode.rawValue), "token": .string(token.mode.rawValue),
            "seconds": .integer(keys.seconds), "status": .integer(keys.status), "issuer": .string(settings.issuer),
            "maxAge": settings.maximumAge.map(JSONValue.integer) ?? .null,
        ]
    }
}

import DevelopmentHTTP
import JSON

/// What the gateway demands: the body of `POST /sms/settings`.
struct SMSSettings: Sendable {
    var keys: WebhookKeys
    /// Whether a number gets one code in a minute, five in an hour and ten in a day, as operators in China limit it.
    var hasLimits = false

    init(keys: WebhookKeys) {
        self.keys = keys
    }

    /// A member that is left out does not change. Refuses unknown members.
    mutating func take(_ json: JSONObject) throws(HTTPRefusal) {
        for (name, value) in json.members {
            switch (name, value) {
            case ("secret", .string(let text)):
                guard let keys = WebhookKeys(text) else {
                    throw .invalid("secret: whsec_ and base64 of 24 to 64 bytes")
                }
                self.keys = keys
            case ("limits", .bool(let flag)): hasLimits = flag
            default: throw .invalid("\(name): known are the text secret and the flag limits")
            }
        }
    }
}

import DevelopmentHTTP
import JSON

/// A user of WeChat, as one app sees the user, and what the app may ask.
struct WeChatUser: Equatable, Sendable {
    /// Without the scope for the user's data there is neither a union id nor a profile.
    static let baseScope = "snsapi_base"

    var openID: String
    var unionID: String?
    var nickname = "微信用户"
    /// Whether control characters of the nickname are sent as they are, which is not JSON.
    var isRaw = false
    var scope = "snsapi_userinfo"
    /// The error to answer every request about the user with.
    var fault: Int64?

    var hasProfile: Bool { scope != Self.baseScope }
}

/// The body of `POST /wechat/mint`.
struct WeChatOrder {
    var user: WeChatUser
    var isExpired = false

    /// Refuses unknown members, so that typing errors are found.
    init(_ json: JSONObject) throws(HTTPRefusal) {
        user = WeChatUser(openID: json["openid"]?.string ?? "o" + RandomText.text(27))
        for (name, value) in json.members {
            switch (name, value, value.integer) {
            case ("openid", .string, _): break
            case ("union", .string(let text), _): user.unionID = text
            case ("union", .bool(let isKnown), _):
                user.unionID = isKnown ? "u" + RandomText.text(27, for: user.openID) : nil
            case ("nickname", .string(let text), _): user.nickname = text
            case ("scope", .string(let text), _): user.scope = text
            case ("rawNickname", .bool(let flag), _): user.isRaw = flag
            case ("expired", .bool(let flag), _): isExpired = flag
            case ("fault", _, let number?): user.fault = number
            default:
                throw .invalid(
                    "\(name): known are the texts openid, nickname, scope, union (a text, or a flag), the flags "
                        + "rawNickname, expired and the number fault")
            }
        }
    }
}

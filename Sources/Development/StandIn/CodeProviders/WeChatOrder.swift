import DevelopmentHTTP
import JSON

/// A user of WeChat, as one app sees the user, and what the app may ask.
struct WeChatUser: Equatable, Sendable {
    /// Without the scope for the user's data there is neither a union id nor a profile.
    static let baseScope = "snsapi_base"

    var openID: String
    /// The app that the code is for; nil for that for phones.
    var appID: String?
    var unionID: String?
    var nickname = "微信用户"
    /// Whether control characters of the nickname are sent as they are, which is not JSON.
    var isRaw = false
    var scope = "snsapi_userinfo"
    /// The error to answer every request about the user with.
    var fault: Int64?

    var hasProfile: Bool { scope != Self.baseScope }

    /// Of an account, by the text that names it at the page.
    ///
    /// - Parameter appID: nil for the app for phones.
    static func openID(of account: String, at appID: String? = nil) -> String {
        "o" + RandomText.text(27, for: "\(appID ?? "") \(account)")
    }

    static func unionID(of openID: String) -> String { "u" + RandomText.text(27, for: openID) }
}

/// The body of `POST /wechat/mint`.
struct WeChatOrder {
    var user: WeChatUser
    var isExpired = false

    /// Refuses unknown members, so that typing errors are found.
    init(_ json: JSONObject) throws(HTTPRefusal) {
        let account = json["user"]?.string
        user = WeChatUser(
            openID: json["openid"]?.string ?? account.map { WeChatUser.openID(of: $0) } ?? "o" + RandomText.text(27))
        if account != nil { user.unionID = WeChatUser.unionID(of: user.openID) }
        for (name, value) in json.members {
            switch (name, value, value.integer) {
            case ("openid", .string, _), ("user", .string, _): break
            case ("union", .string(let text), _): user.unionID = text
            case ("union", .bool(let isKnown), _):
                user.unionID = isKnown ? WeChatUser.unionID(of: user.openID) : nil
            case ("nickname", .string(let text), _): user.nickname = text
            case ("scope", .string(let text), _): user.scope = text
            case ("rawNickname", .bool(let flag), _): user.isRaw = flag
            case ("expired", .bool(let flag), _): isExpired = flag
            case ("fault", _, let number?): user.fault = number
            default:
                throw .invalid(
                    "\(name): known are the texts openid, user, nickname, scope, union (a text, or a flag), the flags "
                        + "rawNickname, expired and the number fault")
            }
        }
    }
}

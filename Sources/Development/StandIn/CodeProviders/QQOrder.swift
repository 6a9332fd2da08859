import DevelopmentHTTP
import JSON

/// A user of QQ, as one app sees the user.
struct QQUser: Equatable, Sendable {
    var openID: String
    /// Nil if the app may not ask for it.
    var unionID: String?
    var nickname = "QQ用户"
    /// The app that the code and the token are for; nil for the known one.
    var clientID: String?
    /// The redirect address that the code was sent to; nil for any.
    var redirectURI: String?
    /// The error to answer every request about the user with.
    var fault: Int64?

    /// Of an account, by the text that names it at the page.
    ///
    /// - Parameter clientID: nil for the app for phones.
    static func openID(of account: String, at clientID: String? = nil) -> String {
        RandomText.hexadecimal(RandomText.text(16, for: "\(clientID ?? "") \(account)").utf8).uppercased()
    }

    static func unionID(of openID: String) -> String {
        "UID_" + RandomText.hexadecimal(RandomText.text(16, for: openID).utf8).uppercased()
    }
}

/// The body of `POST /qq/mint`.
struct QQOrder {
    var user: QQUser
    var isExpired = false

    /// Refuses unknown members, so that typing errors are found.
    init(_ json: JSONObject) throws(HTTPRefusal) {
        let account = json["user"]?.string
        user = QQUser(
            openID: json["openid"]?.string ?? account.map { QQUser.openID(of: $0) }
                ?? RandomText.hexadecimal(16).uppercased())
        if account != nil { user.unionID = QQUser.unionID(of: user.openID) }
        for (name, value) in json.members {
            guard takeText(name, value) || takeOther(name, value) else {
                throw .invalid(
                    "\(name): known are the texts openid, user, nickname, clientID, redirectURI, union (a text, or a flag), "
                        + "the flag expired and the number fault")
            }
        }
    }

    private mutating func takeText(_ name: String, _ value: JSONValue) -> Bool {
        guard let text = value.string else { return false }
        switch name {
        case "openid", "user": break
        case "union": user.unionID = text
        case "nickname": user.nickname = text
        case "clientID": user.clientID = text
        case "redirectURI": user.redirectURI = text
        default: return false
        }
        return true
    }

    private mutating func takeOther(_ name: String, _ value: JSONValue) -> Bool {
        switch (name, value, value.integer) {
        case ("union", .bool(let isKnown), _): user.unionID = isKnown ? QQUser.unionID(of: user.openID) : nil
        case ("expired", .bool(let flag), _): isExpired = flag
        case ("fault", _, let number?): user.fault = number
        default: return false
        }
        return true
    }
}

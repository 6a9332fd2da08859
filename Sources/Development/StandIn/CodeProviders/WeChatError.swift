import JSON

/// An error of WeChat, which is sent with status 200.
struct WeChatError: Error, Equatable {
    let code: Int64

    init(_ code: Int64) {
        self.code = code
    }

    static let invalidGrantType = WeChatError(40002)
    static let invalidOpenID = WeChatError(40003)
    static let invalidCredential = WeChatError(40001)
    static let invalidAppID = WeChatError(40013)
    static let invalidCode = WeChatError(40029)
    static let invalidRefreshToken = WeChatError(40030)
    static let invalidSecret = WeChatError(40125)
    static let usedCode = WeChatError(40163)
    static let missingAccessToken = WeChatError(41001)
    static let missingAppID = WeChatError(41002)
    static let missingRefreshToken = WeChatError(41003)
    static let missingSecret = WeChatError(41004)
    static let missingCode = WeChatError(41008)
    static let missingOpenID = WeChatError(41009)
    static let expiredAccessToken = WeChatError(42001)
    static let expiredRefreshToken = WeChatError(42002)
    static let expiredCode = WeChatError(42003)
    static let unauthorisedAPI = WeChatError(48001)

    private static let messages: [Int64: String] = [
        -1: "system error", 40001: "invalid credential, access_token is invalid or not latest",
        40002: "invalid grant_type", 40003: "invalid openid", 40013: "invalid appid", 40014: "invalid access_token",
        40029: "invalid code", 40030: "invalid refresh_token", 40125: "invalid appsecret", 40163: "code been used",
        40243: "appsecret frozen", 41001: "access_token missing", 41002: "appid missing",
        41003: "refresh_token missing", 41004: "appsecret missing", 41008: "missing code", 41009: "missing openid",
        42001: "access_token expired", 42002: "refresh_token expired", 42003: "code expired",
        45009: "reach max api daily quota limit", 45011: "api minute-quota reach limit, must slower, retry next minute",
        48001: "api unauthorized", 50002: "user limited",
    ]

    func json(now: Int64) -> JSONObject {
        let message = Self.messages[code] ?? "error"
        return ["errcode": .integer(code), "errmsg": .string("\(message), rid: \(Self.requestID(now))")]
    }

    /// The time and two random numbers, as WeChat writes it.
    private static func requestID(_ now: Int64) -> String {
        "\(String(now, radix: 16))-\(RandomText.hexadecimal(4))-\(RandomText.hexadecimal(4))"
    }
}

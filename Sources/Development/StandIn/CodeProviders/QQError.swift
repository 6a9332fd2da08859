import JSON

/// An error of QQ, which is sent with status 200.
struct QQError: Error, Equatable {
    let code: Int64
    var text: String?

    init(_ code: Int64, _ text: String? = nil) {
        self.code = code
        self.text = text
    }

    static let wrongResponseType = QQError(100000)
    static let missingClientID = QQError(100001)
    static let missingSecret = QQError(100002)
    static let invalidGrantType = QQError(100004)
    static let missingCode = QQError(100005)
    static let missingRefreshToken = QQError(100006)
    static let missingAccessToken = QQError(100007)
    static let unknownClient = QQError(100008)
    static let wrongSecret = QQError(100009)
    static let wrongRedirect = QQError(100010)
    static let illegalAccessToken = QQError(100013)
    static let expiredAccessToken = QQError(100014)
    static let failedCheck = QQError(100016)
    static let failedExchange = QQError(100019)
    static let usedCode = QQError(100020)
    static let failedRefresh = QQError(100022)
    static let badRequest = QQError(100029)
    static let noUnion = QQError(100048)
    static let invalidOpenID = QQError(-1, "client request's parameters are invalid, invalid openid")

    private static let messages: [Int64: String] = [
        100000: "param response_type is wrong or lost", 100001: "param client_id is wrong or lost",
        100002: "param client_secret is wrong or lost", 100004: "param grant_type is wrong or lost",
        100005: "param code is wrong or lost", 100006: "param refresh_token is wrong or lost",
        100007: "param access_token is wrong or lost", 100008: "client_id is not exist",
        100009: "client_secret is wrong", 100010: "redirect uri is illegal", 100011: "app is not online",
        100013: "access token is illegal", 100014: "access token is expired", 100015: "access token is revoked",
        100016: "access token check failed", 100019: "code to access token error", 100020: "code is reused error",
        100021: "get access token error", 100022: "get refresh token error", 100029: "bad http request",
        100030: "user has not authorized the api", 100031: "app has no privilege of the api",
        100048: "companyid not set",
    ]

    var message: String { text ?? Self.messages[code] ?? "error" }

    /// At the endpoints of OAuth.
    var json: JSONObject { ["error": .integer(code), "error_description": .string(message)] }

    /// At the endpoints of the API.
    var apiJSON: JSONObject { ["ret": .integer(code), "msg": .string(message)] }
}

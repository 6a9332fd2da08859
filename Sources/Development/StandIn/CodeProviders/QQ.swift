import DevelopmentHTTP
import JSON

/// QQ.
enum QQ: CodeProviderKind {
    static let name = "QQ"
    static let prefix = "/qq"
    static let app = WebClient(id: "101234567", secret: "q0123456789abcdef0123456789abcdef")
    static let website = WebClient(id: "101765432", secret: "qfedcba9876543210fedcba9876543210")
    static let members = (id: "appID", secret: "appKey")
    static let modes = AnswerMode.ofQQ
    static let contentType = "text/html"

    /// The two kinds of grant have one path.
    static let endpoints = [
        CodeEndpoint(
            path: "oauth2.0/token", call: .exchange,
            demanded: [
                ("grant_type", 100004), ("client_id", 100001), ("client_secret", 100002), ("code", 100005),
            ], client: "client_id", secret: "client_secret"),
        CodeEndpoint(
            path: "oauth2.0/token", call: .refresh,
            demanded: [
                ("grant_type", 100004), ("client_id", 100001), ("client_secret", 100002), ("refresh_token", 100006),
            ], client: "client_id", secret: "client_secret"),
        CodeEndpoint(
            path: "oauth2.0/me", call: .check, demanded: [("access_token", 100007)], unknownToken: 100016,
            expiredToken: 100016),
        CodeEndpoint(
            path: "user/get_user_info", call: .profile,
            demanded: [("access_token", 100007), ("oauth_consumer_key", 100001)], client: "oauth_consumer_key",
            unknownToken: 100013, expiredToken: 100014, checksOpenID: true),
    ]

    static let errors: [CodeFault: CodeError] = [
        .unknownApp: 100008, .wrongSecret: 100009, .otherRedirectURI: 100010, .unknownCode: 100019, .usedCode: 100020,
        .expiredCode: 100019, .unknownRefreshToken: 100022, .expiredRefreshToken: 100022,
        .otherOpenID: CodeError(-1, "client request's parameters are invalid, invalid openid"),
    ]

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

    static let accessTokenLifetime: Int64 = 7_776_000
    /// QQ names none; the stand-in forgets a token some time.
    static let refreshTokenLifetime = 2 * accessTokenLifetime
    static let renewsRefreshToken = true
    static let hasAppTokens = true
    static let usualNickname = "QQ用户"
    static let knownMembers = "openid, user, nickname, clientID, redirectURI, union (a text, or a flag)"

    static func newCode() -> String { newToken() }

    static func newToken() -> String { RandomText.hexadecimal(16).uppercased() }

    static func openID(of account: String?, at clientID: String?) -> String {
        guard let account else { return newToken() }
        return RandomText.hexadecimal(RandomText.text(16, for: "\(clientID ?? "") \(account)").utf8).uppercased()
    }

    static func unionID(of openID: String) -> String {
        "UID_" + RandomText.hexadecimal(RandomText.text(16, for: openID).utf8).uppercased()
    }

    static func take(_ order: inout OrderReader, _ user: inout CodeUser) {
        user.clientID = order.text("clientID")
        user.redirectURI = order.text("redirectURI")
    }
}

// MARK: - Answers

extension QQ {
    /// The form of an answer depends on the endpoint, and on the parameter `fmt`: form fields, a call of a function with the
    /// object, or JSON.
    static func answer(
        _ call: CodeEndpoint.Call, _ grant: CodeGrant, of clientID: String, _ parameters: FormFields
    ) throws(CodeError) -> [UInt8] {
        let isJSON = parameters["fmt"] == "json"
        switch call {
        case .exchange, .refresh:
            var json: JSONObject = [
                "access_token": .string(grant.accessToken), "expires_in": .string("\(accessTokenLifetime)"),
                "refresh_token": .string(grant.refreshToken),
            ]
            if parameters["need_openid"] == "1" { json["openid"] = .string(grant.user.openID) }
            let fields = json.members.map { "\($0.name)=\($0.value.string ?? "")" }
            return isJSON ? json.bytes : Array(fields.joined(separator: "&").utf8)
        case .check:
            var json: JSONObject = ["client_id": .string(clientID), "openid": .string(grant.user.openID)]
            if parameters["unionid"] == "1" {
                guard let unionID = grant.user.unionID else { throw 100048 }
                json["unionid"] = .string(unionID)
            }
            return isJSON ? json.bytes : Self.call(json.bytes)
        case .profile: return profile(of: grant.user).bytes
        }
    }

    private static func profile(of user: CodeUser) -> JSONObject {
        let picture = "http://thirdqq.qlogo.cn/g?b=oidb&k=\(RandomText.text(12, for: user.openID))&s="
        return [
            "ret": 0, "msg": "", "is_lost": 0, "nickname": .string(user.nickname), "gender": "男", "gender_type": 2,
            "province": "", "city": "", "year": "0", "constellation": "", "figureurl": .string(picture + "30"),
            "figureurl_1": .string(picture + "50"), "figureurl_2": .string(picture + "100"),
            "figureurl_qq_1": .string(picture + "40"), "figureurl_qq_2": .string(picture + "100"),
            "figureurl_qq": .string(picture + "140"), "is_yellow_vip": "0", "vip": "0", "level": "0",
            "is_yellow_year_vip": "0",
        ]
    }

    /// An error is JSON, or a call with it. Of the API it has other names.
    static func answer(
        _ call: CodeEndpoint.Call, _ error: CodeError, _ parameters: FormFields, _ mode: AnswerMode, now: Int64
    ) -> [UInt8] {
        let (code, message) = (JSONValue.integer(error.code), JSONValue.string(message(of: error)))
        guard call != .profile else { return (["ret": code, "msg": message] as JSONObject).bytes }
        let json = (["error": code, "error_description": message] as JSONObject).bytes
        let written = mode == .trailingComma ? json.dropLast() + Array(",}".utf8) : json
        return parameters["fmt"] == "json" ? written : Self.call(written)
    }

    private static func message(of error: CodeError) -> String { error.text ?? messages[error.code] ?? "error" }

    private static func call(_ json: [UInt8]) -> [UInt8] {
        Array("callback( ".utf8) + json + Array(" );\n".utf8)
    }
}

// MARK: - The page of the website login

extension QQ {
    static let pagePath = "oauth2.0/authorize"
    static let button = "Sign in, and authorize"
    static let denial: [(String, String?)] = [("usercancel", "1")]

    static func pageRequest(
        _ request: HTTPRequest, _ clients: WebClients
    ) throws(PageFault) -> AuthorizationRequest {
        guard let query = request.query, query.repeatedName == nil else { throw pageFault(100029) }
        guard query["response_type"] == "code" else { throw pageFault(100000) }
        guard let id = query["client_id"] else { throw pageFault(100001) }
        guard let client = clients[id] else { throw pageFault(error(.unknownApp)) }
        guard let address = query["redirect_uri"], client.redirectURIs.contains(address) else {
            throw pageFault(error(.otherRedirectURI))
        }
        guard let state = query["state"] else { throw pageFault(100029) }
        return AuthorizationRequest(clientID: id, redirectURI: address, state: state)
    }

    static func pageFault(_ error: CodeError) -> PageFault { PageFault("\(error.code)", message(of: error)) }
}

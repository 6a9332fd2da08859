import DevelopmentHTTP
import JSON

/// WeChat. A user of its page would scan a code on it with a phone.
enum WeChat: CodeProviderKind {
    static let name = "WeChat"
    static let prefix = "/wechat"
    static let app = WebClient(id: "wx1234567890abcdef", secret: "0123456789abcdef0123456789abcdef")
    static let website = WebClient(id: "wx0987654321fedcba", secret: "fedcba9876543210fedcba9876543210")
    static let members = (id: "appID", secret: "appSecret")
    static let modes = AnswerMode.ofWeChat
    static let contentType = "text/plain"

    static let endpoints = [
        CodeEndpoint(
            path: "sns/oauth2/access_token", call: .exchange,
            demanded: [("appid", 41002), ("secret", 41004), ("code", 41008), ("grant_type", 40002)],
            client: "appid", secret: "secret"),
        CodeEndpoint(
            path: "sns/oauth2/refresh_token", call: .refresh,
            demanded: [("appid", 41002), ("refresh_token", 41003), ("grant_type", 40002)], client: "appid"),
        CodeEndpoint(
            path: "sns/auth", call: .check, demanded: [("access_token", 41001), ("openid", 41009)],
            unknownToken: 40001, expiredToken: 42001, checksOpenID: true),
        CodeEndpoint(
            path: "sns/userinfo", call: .profile, demanded: [("access_token", 41001), ("openid", 41009)],
            unknownToken: 40001, expiredToken: 42001, checksOpenID: true),
    ]

    static let errors: [CodeFault: CodeError] = [
        .unknownApp: 40013, .wrongSecret: 40125, .unknownCode: 40029, .usedCode: 40163, .expiredCode: 42003,
        .unknownRefreshToken: 40030, .expiredRefreshToken: 42002, .otherOpenID: 40003,
    ]

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

    static let accessTokenLifetime: Int64 = 7200
    static let refreshTokenLifetime: Int64 = 2_592_000
    static let renewsRefreshToken = false
    static let hasAppTokens = false
    static let usualNickname = "微信用户"
    static let knownMembers = "openid, user, nickname, scope, union (a text, or a flag), the flag rawNickname"

    static func newCode() -> String { "0" + RandomText.text(31) }

    static func newToken() -> String { RandomText.text(86) }

    static func openID(of account: String?, at clientID: String?) -> String {
        "o" + (account.map { RandomText.text(27, for: "\(clientID ?? "") \($0)") } ?? RandomText.text(27))
    }

    static func unionID(of openID: String) -> String { "u" + RandomText.text(27, for: openID) }

    static func take(_ order: inout OrderReader, _ user: inout CodeUser) {
        user.scope = order.text("scope") ?? user.scope
        user.isRaw = order.flag("rawNickname") ?? false
    }
}

// MARK: - Answers

extension WeChat {
    static func answer(
        _ call: CodeEndpoint.Call, _ grant: CodeGrant, of clientID: String, _ parameters: FormFields
    ) throws(CodeError) -> [UInt8] {
        // Without the scope for the user's data there is neither a union id nor a profile.
        let hasProfile = grant.user.scope != "snsapi_base"
        switch call {
        case .exchange, .refresh:
            var json: JSONObject = [
                "access_token": .string(grant.accessToken), "expires_in": .integer(accessTokenLifetime),
                "refresh_token": .string(grant.refreshToken), "openid": .string(grant.user.openID),
                "scope": .string(grant.user.scope),
            ]
            if call == .exchange, hasProfile { json["unionid"] = grant.user.unionID.map(JSONValue.string) }
            return json.bytes
        case .check: return (["errcode": 0, "errmsg": "ok"] as JSONObject).bytes
        case .profile:
            guard hasProfile else { throw 48001 }
            return profile(of: grant.user)
        }
    }

    private static func profile(of user: CodeUser) -> [UInt8] {
        var json: JSONObject = [
            "openid": .string(user.openID), "nickname": .string(user.nickname), "sex": 0, "language": "", "city": "",
            "province": "", "country": "",
            "headimgurl": "https://thirdwx.qlogo.cn/mmopen/vi_32/\(RandomText.text(24, for: user.openID))/132",
            "privilege": [],
        ]
        json["unionid"] = user.unionID.map(JSONValue.string)
        let escaped = WeChatText.escapingSlashes(json.bytes)
        return user.isRaw ? WeChatText.withRawControlCharacters(escaped) : escaped
    }

    static func answer(
        _ call: CodeEndpoint.Call, _ error: CodeError, _ parameters: FormFields, _ mode: AnswerMode, now: Int64
    ) -> [UInt8] {
        // The time and two random numbers, as WeChat writes it.
        let id = "\(String(now, radix: 16))-\(RandomText.hexadecimal(4))-\(RandomText.hexadecimal(4))"
        let message = messages[error.code] ?? "error"
        return (["errcode": .integer(error.code), "errmsg": .string("\(message), rid: \(id)")] as JSONObject).bytes
    }
}

// MARK: - The page of the website login

extension WeChat {
    static let pagePath = "connect/qrconnect"
    static let button = "Scan, and confirm"
    static let denial: [(String, String?)] = []

    static func pageRequest(
        _ request: HTTPRequest, _ clients: WebClients
    ) throws(PageFault) -> AuthorizationRequest {
        guard let query = request.query, query.repeatedName == nil else {
            throw PageFault("invalid request", "A parameter is malformed, or given twice.")
        }
        guard let id = query["appid"], let client = clients[id] else {
            throw PageFault("AppID 参数错误", "The appid is not that of a website app.")
        }
        // WeChat knows the domain alone.
        let hosts = client.redirectURIs.compactMap(Self.host)
        guard let address = query["redirect_uri"], WebClient.isAddress(address), let host = Self.host(of: address),
            hosts.contains(host)
        else { throw PageFault("redirect_uri 参数错误", "The redirect_uri is not below the registered domain.") }
        guard query["response_type"] == "code" else {
            throw PageFault("response_type 参数错误", "The response_type must be code.")
        }
        guard query["scope"]?.split(separator: ",").contains("snsapi_login") == true else {
            throw PageFault("Scope 参数错误或没有 Scope 权限", "The scope must be snsapi_login.")
        }
        return AuthorizationRequest(clientID: id, redirectURI: address, state: query["state"])
    }

    private static func host(of address: String) -> String? {
        guard let range = address.firstRange(of: "://") else { return nil }
        let authority = address[range.upperBound...].prefix { !"/?\\".contains($0) }
        guard !authority.contains("@") else { return nil }
        let end = authority.hasPrefix("[") ? authority.firstIndex(of: "]") : authority.firstIndex(of: ":")
        return authority[..<(end ?? authority.endIndex)].lowercased()
    }

    static func pageFault(_ error: CodeError) -> PageFault { PageFault("\(error.code)", "The request has failed.") }
}

/// How WeChat's JSON differs from that of others.
private enum WeChatText {
    private static let backslash = UInt8(ascii: "\\")

    /// Slashes occur in strings only, where they may be escaped.
    static func escapingSlashes(_ json: [UInt8]) -> [UInt8] {
        json.flatMap { $0 == UInt8(ascii: "/") ? [backslash, $0] : [$0] }
    }

    /// Control characters as they are, which no strict parser accepts.
    static func withRawControlCharacters(_ json: [UInt8]) -> [UInt8] {
        var result: [UInt8] = []
        var rest = json[...]
        while let byte = rest.popFirst() {
            guard byte == backslash, let kind = rest.first else {
                result.append(byte)
                continue
            }
            let length = kind == UInt8(ascii: "u") ? 5 : 1
            let escape = [byte] + rest.prefix(length)
            rest = rest.dropFirst(length)
            result += controlCharacter(escape).map { [$0] } ?? escape
        }
        return result
    }

    /// The control character that an escape stands for; nil if it stands for another one.
    private static func controlCharacter(_ escape: [UInt8]) -> UInt8? {
        let text = (try? JSONValue(parsing: [UInt8(ascii: "\"")] + escape + [UInt8(ascii: "\"")]))?.string
        guard let text, text.utf8.count == 1, let byte = text.utf8.first, byte < 0x20 else { return nil }
        return byte
    }
}

import JSON

/// QQ's endpoints for one request.
struct QQEndpoints {
    static let tokenPath = "oauth2.0/token"
    static let identityPath = "oauth2.0/me"
    static let profilePath = "user/get_user_info"
    static let paths = [tokenPath, identityPath, profilePath]

    let app: QQApp
    let websites: WebClients
    let parameters: Parameters
    let now: Int64

    func body(for path: String, _ grants: inout QQGrants) throws(QQError) -> QQBody {
        switch path {
        case Self.tokenPath: .form(try tokens(&grants))
        case Self.identityPath: .object(try identity(grants))
        default: .api(try profile(grants))
        }
    }

    private func tokens(_ grants: inout QQGrants) throws(QQError) -> JSONObject {
        let grant = try grant(&grants)
        var json: JSONObject = [
            "access_token": .string(grant.accessToken), "expires_in": .string("\(QQGrants.accessTokenLifetime)"),
            "refresh_token": .string(grant.refreshToken),
        ]
        if parameters["need_openid"] == "1" { json["openid"] = .string(grant.user.openID) }
        return json
    }

    private func grant(_ grants: inout QQGrants) throws(QQError) -> QQGrants.Grant {
        let type = parameters["grant_type"]
        guard type == "authorization_code" || type == "refresh_token" else { throw .invalidGrantType }
        let clientID = try required("client_id", or: .missingClientID)
        let secret = try required("client_secret", or: .missingSecret)
        let isRefresh = type == "refresh_token"
        let text =
            isRefresh
            ? try required("refresh_token", or: .missingRefreshToken) : try required("code", or: .missingCode)
        guard let key = key(of: clientID) else { throw .unknownClient }
        guard secret == key else { throw .wrongSecret }
        guard !isRefresh else { return try grants.refresh(text, now: now) { ($0.clientID ?? app.id) == clientID } }
        let redirectURI = try required("redirect_uri", or: .wrongRedirect)
        return try grants.redeem(text, redirectURI: redirectURI, now: now) { ($0.clientID ?? app.id) == clientID }
    }

    /// Nil for an unknown app.
    private func key(of clientID: String) -> String? { clientID == app.id ? app.key : websites[clientID]?.secret }

    private func identity(_ grants: QQGrants) throws(QQError) -> JSONObject {
        let token = try required("access_token", or: .missingAccessToken)
        guard let grant = grants.grant(of: token) else { throw .failedCheck }
        if let fault = grant.user.fault { throw QQError(fault) }
        guard now < grant.accessTokenEnd else { throw .failedCheck }
        var json: JSONObject = [
            "client_id": .string(grant.user.clientID ?? app.id), "openid": .string(grant.user.openID),
        ]
        if parameters["unionid"] == "1" {
            guard let unionID = grant.user.unionID else { throw .noUnion }
            json["unionid"] = .string(unionID)
        }
        return json
    }

    private func profile(_ grants: QQGrants) throws(QQError) -> JSONObject {
        let token = try required("access_token", or: .missingAccessToken)
        let clientID = try required("oauth_consumer_key", or: .missingClientID)
        guard let grant = grants.grant(of: token) else { throw .illegalAccessToken }
        if let fault = grant.user.fault { throw QQError(fault) }
        guard now < grant.accessTokenEnd else { throw .expiredAccessToken }
        guard clientID == grant.user.clientID ?? app.id else { throw .unknownClient }
        guard parameters["openid"] == grant.user.openID else { throw .invalidOpenID }
        return profile(of: grant.user)
    }

    private func profile(of user: QQUser) -> JSONObject {
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

    private func required(_ name: String, or error: QQError) throws(QQError) -> String {
        guard let value = parameters[name] else { throw error }
        return value
    }
}

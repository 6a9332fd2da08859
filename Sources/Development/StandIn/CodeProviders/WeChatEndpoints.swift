import JSON

/// WeChat's endpoints for one request.
struct WeChatEndpoints {
    static let paths = ["sns/oauth2/access_token", "sns/oauth2/refresh_token", "sns/auth", "sns/userinfo"]

    let app: WeChatApp
    let websites: WebClients
    let parameters: Parameters
    let now: Int64

    func body(for path: String, _ grants: inout WeChatGrants) throws(WeChatError) -> [UInt8] {
        switch path {
        case "sns/oauth2/access_token": return try exchange(&grants).bytes
        case "sns/oauth2/refresh_token": return try refresh(&grants).bytes
        case "sns/auth":
            _ = try user(grants)
            return (["errcode": 0, "errmsg": "ok"] as JSONObject).bytes
        default: return try profile(of: user(grants))
        }
    }

    private func exchange(_ grants: inout WeChatGrants) throws(WeChatError) -> JSONObject {
        let appID = try required("appid", or: .missingAppID)
        let secret = try required("secret", or: .missingSecret)
        let code = try required("code", or: .missingCode)
        guard parameters["grant_type"] == "authorization_code" else { throw .invalidGrantType }
        guard let known = self.secret(of: appID) else { throw .invalidAppID }
        guard secret == known else { throw .invalidSecret }
        let grant = try grants.redeem(code, now: now) { ($0.appID ?? app.id) == appID }
        var json = json(of: grant)
        if grant.user.hasProfile { json["unionid"] = grant.user.unionID.map(JSONValue.string) }
        return json
    }

    private func refresh(_ grants: inout WeChatGrants) throws(WeChatError) -> JSONObject {
        let appID = try required("appid", or: .missingAppID)
        let token = try required("refresh_token", or: .missingRefreshToken)
        guard parameters["grant_type"] == "refresh_token" else { throw .invalidGrantType }
        guard self.secret(of: appID) != nil else { throw .invalidAppID }
        return json(of: try grants.refresh(token, now: now) { ($0.appID ?? app.id) == appID })
    }

    /// Nil for an unknown app.
    private func secret(of appID: String) -> String? { appID == app.id ? app.secret : websites[appID]?.secret }

    private func json(of grant: WeChatGrants.Grant) -> JSONObject {
        [
            "access_token": .string(grant.accessToken), "expires_in": .integer(WeChatGrants.accessTokenLifetime),
            "refresh_token": .string(grant.refreshToken), "openid": .string(grant.user.openID),
            "scope": .string(grant.user.scope),
        ]
    }

    private func user(_ grants: WeChatGrants) throws(WeChatError) -> WeChatUser {
        let token = try required("access_token", or: .missingAccessToken)
        let openID = try required("openid", or: .missingOpenID)
        return try grants.user(of: token, openID: openID, now: now)
    }

    private func profile(of user: WeChatUser) throws(WeChatError) -> [UInt8] {
        guard user.hasProfile else { throw .unauthorisedAPI }
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

    private func required(_ name: String, or error: WeChatError) throws(WeChatError) -> String {
        guard let value = parameters[name] else { throw error }
        return value
    }
}

import DevelopmentHTTP

/// `GET /connect/qrconnect`, the page of WeChat's website login. A user would scan a code on it with a phone.
struct WeChatPage {
    static let path = "connect/qrconnect"
    static let usualClient = WebClient(id: "wx0987654321fedcba", secret: "fedcba9876543210fedcba9876543210")

    let website: Website
    let request: HTTPRequest

    /// - Parameter add: issues a code.
    func answer(_ add: (WeChatUser) -> String) throws(PageFault) -> HTTPReply {
        let asked = try asked()
        return try website.answer(request, to: asked, denied: []) { user, form in
            add(WeChatUser(account: user, form, at: asked.clientID))
        }
    }

    private func asked() throws(PageFault) -> WebsiteRequest {
        guard let query = request.query, !query.hasRepeatedName else {
            throw PageFault("invalid request", "A parameter is malformed, or given twice.")
        }
        guard let id = query["appid"], let client = website.clients[id] else {
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
        return WebsiteRequest(clientID: id, redirectURI: address, state: query["state"])
    }

    private static func host(of address: String) -> String? {
        guard let range = address.firstRange(of: "://") else { return nil }
        let authority = address[range.upperBound...].prefix { !"/?\\".contains($0) }
        guard !authority.contains("@") else { return nil }
        let end = authority.hasPrefix("[") ? authority.firstIndex(of: "]") : authority.firstIndex(of: ":")
        return authority[..<(end ?? authority.endIndex)].lowercased()
    }
}

extension WeChatUser {
    /// The same account has another `openid` at each app, and the same union id at all of them.
    ///
    /// - Parameter form: `openid`, `name` and `union` (`none` for no union id) take the place of what follows from the
    ///   account, and `mobile_openid` of the account's `openid` at the app for phones.
    fileprivate init(account: String, _ form: FormFields?, at appID: String) {
        self.init(openID: form?["openid"] ?? Self.openID(of: account, at: appID))
        self.appID = appID
        let mobile = form?["mobile_openid"] ?? Self.openID(of: account)
        unionID = form?["union"] == "none" ? nil : form?["union"] ?? Self.unionID(of: mobile)
        nickname = form?["name"] ?? nickname
        scope = "snsapi_login"
    }
}

import DevelopmentHTTP

/// `GET /oauth2.0/authorize`, the page of QQ's website login.
struct QQPage {
    static let path = "oauth2.0/authorize"
    static let usualClient = WebClient(id: "101765432", secret: "qfedcba9876543210fedcba9876543210")

    let website: Website
    let request: HTTPRequest

    /// - Parameter add: issues a code.
    func answer(_ add: (QQUser) -> String) throws(PageFault) -> HTTPReply {
        let asked: WebsiteRequest
        do throws(QQError) { asked = try self.asked() } catch {
            throw PageFault("\(error.code)", error.message)
        }
        return try website.answer(request, to: asked, denied: [("usercancel", "1")]) { user, form in
            add(QQUser(account: user, form, asked))
        }
    }

    private func asked() throws(QQError) -> WebsiteRequest {
        guard let query = request.query, !query.hasRepeatedName else { throw .badRequest }
        guard query["response_type"] == "code" else { throw .wrongResponseType }
        guard let id = query["client_id"] else { throw .missingClientID }
        guard let client = website.clients[id] else { throw .unknownClient }
        guard let address = query["redirect_uri"], client.redirectURIs.contains(address) else {
            throw .wrongRedirect
        }
        guard let state = query["state"] else { throw .badRequest }
        return WebsiteRequest(clientID: id, redirectURI: address, state: state)
    }
}

extension QQUser {
    /// The same account has another `openid` at each app, and the same union id at all of them.
    ///
    /// - Parameter form: `openid`, `name` and `union` (`none` for no union id) take the place of what follows from the
    ///   account, and `mobile_openid` of the account's `openid` at the app for phones.
    fileprivate init(account: String, _ form: FormFields?, _ request: WebsiteRequest) {
        self.init(openID: form?["openid"] ?? Self.openID(of: account, at: request.clientID))
        let mobile = form?["mobile_openid"] ?? Self.openID(of: account)
        unionID = form?["union"] == "none" ? nil : form?["union"] ?? Self.unionID(of: mobile)
        nickname = form?["name"] ?? nickname
        clientID = request.clientID
        redirectURI = request.redirectURI
    }
}

import DevelopmentHTTP
import JSON

/// A user of a code provider, as one app sees the user, and what the app may ask.
struct CodeUser: Equatable, Sendable {
    var openID: String
    /// Nil if the app may not ask for it.
    var unionID: String?
    var nickname: String
    /// The app that the code and the token are for; nil for the one for phones.
    var clientID: String?
    /// The redirect address that the code was sent to; nil for any.
    var redirectURI: String?
    /// Of WeChat.
    var scope = "snsapi_userinfo"
    /// Whether control characters of the nickname are sent as they are, which is not JSON. Of WeChat.
    var isRaw = false
    /// The error to answer every request about the user with.
    var fault: Int64?
}

extension CodeUser {
    /// A user of the page. The same account has another `openid` at each app, and the same union id at all of them.
    ///
    /// - Parameter form: `openid`, `name` and `union` (`none` for no union id) take the place of what follows from the
    ///   account, and `mobile_openid` of the account's `openid` at the app for phones.
    init<Kind: CodeProviderKind>(
        _ kind: Kind.Type, account: String, _ form: FormFields?, _ request: AuthorizationRequest
    ) {
        let mobile = form?["mobile_openid"] ?? Kind.openID(of: account, at: nil)
        self.init(
            openID: form?["openid"] ?? Kind.openID(of: account, at: request.clientID),
            unionID: form?["union"] == "none" ? nil : form?["union"] ?? Kind.unionID(of: mobile),
            nickname: form?["name"] ?? Kind.usualNickname, clientID: request.clientID,
            redirectURI: request.redirectURI, scope: "snsapi_login")
    }
}

/// The body of `POST /wechat/mint` or `POST /qq/mint`.
struct CodeOrder<Kind: CodeProviderKind> {
    var user: CodeUser
    let isExpired: Bool

    init(_ json: JSONObject) throws(HTTPRefusal) {
        var order = OrderReader(json)
        let account = order.text("user")
        user = CodeUser(
            openID: order.text("openid") ?? Kind.openID(of: account, at: nil),
            nickname: order.text("nickname") ?? Kind.usualNickname)
        let hasUnionID = order.flag("union") ?? (account != nil)
        user.unionID = order.text("union") ?? (hasUnionID ? Kind.unionID(of: user.openID) : nil)
        isExpired = order.flag("expired") ?? false
        user.fault = order.number("fault")
        Kind.take(&order, &user)
        try order.end("known are the texts \(Kind.knownMembers), the flag expired and the number fault")
    }
}

/// The tokens for one user.
struct CodeGrant {
    let user: CodeUser
    var refreshToken: String
    let refreshTokenEnd: Int64
    var accessToken: String
    var accessTokenEnd: Int64
}

/// The codes and tokens that a provider has issued, with the rules for their validity.
struct CodeGrants<Kind: CodeProviderKind> {
    private let codeLifetime: Int64 = 600

    private struct Code {
        let user: CodeUser
        let issuedAt: Int64
        var isUsed = false
    }

    private var codes: [String: Code] = [:]
    private var grants: [CodeGrant] = []

    mutating func addCode(_ user: CodeUser, isExpired: Bool = false, now: Int64) -> String {
        // A code stays known for some time after its end, so that it is told from an unknown one.
        codes = codes.filter { now < $0.value.issuedAt + 10 * codeLifetime }
        let code = Kind.newCode()
        codes[code] = Code(user: user, issuedAt: isExpired ? now - codeLifetime : now)
        return code
    }

    mutating func add(_ user: CodeUser, isExpired: Bool = false, now: Int64) -> CodeGrant {
        grants.removeAll { $0.refreshTokenEnd <= now }
        let grant = CodeGrant(
            user: user, refreshToken: Kind.newToken(), refreshTokenEnd: now + Kind.refreshTokenLifetime,
            accessToken: Kind.newToken(), accessTokenEnd: isExpired ? now : now + Kind.accessTokenLifetime)
        grants.append(grant)
        return grant
    }

    /// - Parameter isOwn: whether the code is for the app that asks.
    mutating func redeem(
        _ parameters: FormFields, now: Int64, isOwn: (CodeUser) -> Bool
    ) throws(CodeError) -> CodeGrant {
        let (text, redirectURI) = (parameters["code"] ?? "", parameters["redirect_uri"])
        let checksRedirectURI = Kind.errors[.otherRedirectURI] != nil
        guard redirectURI != nil || !checksRedirectURI else { throw Kind.error(.otherRedirectURI) }
        guard let code = codes[text], isOwn(code.user) else { throw Kind.error(.unknownCode) }
        if let fault = code.user.fault { throw CodeError(fault) }
        guard !checksRedirectURI || code.user.redirectURI ?? redirectURI == redirectURI else {
            throw Kind.error(.otherRedirectURI)
        }
        guard !code.isUsed else { throw Kind.error(.usedCode) }
        guard now < code.issuedAt + codeLifetime else { throw Kind.error(.expiredCode) }
        codes[text]?.isUsed = true
        return add(code.user, now: now)
    }

    /// Where the refresh token stays, an access token that has not expired is extended.
    mutating func refresh(
        _ parameters: FormFields, now: Int64, isOwn: (CodeUser) -> Bool
    ) throws(CodeError) -> CodeGrant {
        let token = parameters["refresh_token"]
        guard let index = grants.firstIndex(where: { $0.refreshToken == token && isOwn($0.user) }) else {
            throw Kind.error(.unknownRefreshToken)
        }
        guard now < grants[index].refreshTokenEnd else { throw Kind.error(.expiredRefreshToken) }
        if Kind.renewsRefreshToken { return add(grants.remove(at: index).user, now: now) }
        if grants[index].accessTokenEnd <= now { grants[index].accessToken = Kind.newToken() }
        grants[index].accessTokenEnd = now + Kind.accessTokenLifetime
        return grants[index]
    }

    /// The grant of an access token.
    ///
    /// - Parameter usualID: the id of the app for phones.
    func grant(
        for endpoint: CodeEndpoint, _ parameters: FormFields, _ usualID: String, now: Int64
    ) throws(CodeError) -> CodeGrant {
        guard let grant = grants.first(where: { $0.accessToken == parameters["access_token"] }) else {
            throw endpoint.unknownToken
        }
        if let fault = grant.user.fault { throw CodeError(fault) }
        guard now < grant.accessTokenEnd else { throw endpoint.expiredToken }
        if let client = endpoint.client, parameters[client] != grant.user.clientID ?? usualID {
            throw Kind.error(.unknownApp)
        }
        guard !endpoint.checksOpenID || parameters["openid"] == grant.user.openID else {
            throw Kind.error(.otherOpenID)
        }
        return grant
    }
}

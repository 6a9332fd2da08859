/// The codes and tokens that WeChat has issued, with the rules for their validity.
struct WeChatGrants {
    static let codeLifetime: Int64 = 600
    static let accessTokenLifetime: Int64 = 7200
    static let refreshTokenLifetime: Int64 = 2_592_000

    struct Code {
        let user: WeChatUser
        let issuedAt: Int64
        var isUsed = false
    }

    /// The tokens for one user.
    struct Grant {
        let user: WeChatUser
        let refreshToken: String
        let refreshTokenEnd: Int64
        var accessToken: String
        var accessTokenEnd: Int64
    }

    private var codes: [String: Code] = [:]
    private var grants: [Grant] = []

    mutating func add(_ user: WeChatUser, isExpired: Bool = false, now: Int64) -> String {
        // A code stays known for some time after its end, so that it is told from an unknown one.
        codes = codes.filter { now < $0.value.issuedAt + 10 * Self.codeLifetime }
        let code = "0" + RandomText.text(31)
        codes[code] = Code(user: user, issuedAt: isExpired ? now - Self.codeLifetime : now)
        return code
    }

    /// - Parameter isOwn: whether the code is for the app that asks.
    mutating func redeem(
        _ text: String, now: Int64, isOwn: (WeChatUser) -> Bool
    ) throws(WeChatError) -> Grant {
        guard let code = codes[text], isOwn(code.user) else { throw .invalidCode }
        if let fault = code.user.fault { throw WeChatError(fault) }
        guard !code.isUsed else { throw .usedCode }
        guard now < code.issuedAt + Self.codeLifetime else { throw .expiredCode }
        codes[text]?.isUsed = true
        grants.removeAll { $0.refreshTokenEnd <= now }
        let grant = Grant(
            user: code.user, refreshToken: RandomText.text(86), refreshTokenEnd: now + Self.refreshTokenLifetime,
            accessToken: RandomText.text(86), accessTokenEnd: now + Self.accessTokenLifetime)
        grants.append(grant)
        return grant
    }

    /// A token that has not expired is extended; otherwise there is a new one.
    mutating func refresh(
        _ token: String, now: Int64, isOwn: (WeChatUser) -> Bool
    ) throws(WeChatError) -> Grant {
        guard let index = grants.firstIndex(where: { $0.refreshToken == token && isOwn($0.user) }) else {
            throw .invalidRefreshToken
        }
        guard now < grants[index].refreshTokenEnd else { throw .expiredRefreshToken }
        if grants[index].accessTokenEnd <= now { grants[index].accessToken = RandomText.text(86) }
        grants[index].accessTokenEnd = now + Self.accessTokenLifetime
        return grants[index]
    }

    func user(of token: String, openID: String, now: Int64) throws(WeChatError) -> WeChatUser {
        guard let grant = grants.first(where: { $0.accessToken == token }) else { throw .invalidCredential }
        guard now < grant.accessTokenEnd else { throw .expiredAccessToken }
        guard grant.user.openID == openID else { throw .invalidOpenID }
        return grant.user
    }
}

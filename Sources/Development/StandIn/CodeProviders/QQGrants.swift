/// The codes and tokens that QQ has issued, with the rules for their validity.
struct QQGrants {
    static let codeLifetime: Int64 = 600
    static let accessTokenLifetime: Int64 = 7_776_000

    struct Code {
        let user: QQUser
        let issuedAt: Int64
        var isUsed = false
    }

    struct Grant {
        let user: QQUser
        var accessToken = RandomText.hexadecimal(16).uppercased()
        /// Can be used once.
        var refreshToken = RandomText.hexadecimal(16).uppercased()
        var accessTokenEnd: Int64
    }

    private var codes: [String: Code] = [:]
    private var grants: [Grant] = []

    /// A code of the page.
    mutating func addCode(_ user: QQUser, isExpired: Bool = false, now: Int64) -> String {
        // A code stays known for some time after its end, so that it is told from an unknown one.
        codes = codes.filter { now < $0.value.issuedAt + 10 * Self.codeLifetime }
        let code = RandomText.hexadecimal(16).uppercased()
        codes[code] = Code(user: user, issuedAt: isExpired ? now - Self.codeLifetime : now)
        return code
    }

    /// A code, and an access token as an app without a server gets it.
    mutating func add(_ order: QQOrder, now: Int64) -> (code: String, accessToken: String) {
        let code = addCode(order.user, isExpired: order.isExpired, now: now)
        grants.removeAll { $0.accessTokenEnd + Self.accessTokenLifetime < now }
        let grant = Grant(user: order.user, accessTokenEnd: order.isExpired ? now : now + Self.accessTokenLifetime)
        grants.append(grant)
        return (code, grant.accessToken)
    }

    /// - Parameter isOwn: whether the code is for the app that asks.
    mutating func redeem(
        _ text: String, redirectURI: String, now: Int64, isOwn: (QQUser) -> Bool
    ) throws(QQError) -> Grant {
        guard let code = codes[text], isOwn(code.user) else { throw .failedExchange }
        if let fault = code.user.fault { throw QQError(fault) }
        guard code.user.redirectURI ?? redirectURI == redirectURI else { throw .wrongRedirect }
        guard !code.isUsed else { throw .usedCode }
        guard now < code.issuedAt + Self.codeLifetime else { throw .failedExchange }
        codes[text]?.isUsed = true
        let grant = Grant(user: code.user, accessTokenEnd: now + Self.accessTokenLifetime)
        grants.append(grant)
        return grant
    }

    mutating func refresh(_ token: String, now: Int64, isOwn: (QQUser) -> Bool) throws(QQError) -> Grant {
        guard let index = grants.firstIndex(where: { $0.refreshToken == token && isOwn($0.user) }) else {
            throw .failedRefresh
        }
        grants[index] = Grant(user: grants[index].user, accessTokenEnd: now + Self.accessTokenLifetime)
        return grants[index]
    }

    func grant(of token: String) -> Grant? { grants.first { $0.accessToken == token } }
}

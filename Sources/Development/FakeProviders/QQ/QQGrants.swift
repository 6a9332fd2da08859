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

    /// A code, and an access token as an app without a server gets it.
    mutating func add(_ order: QQOrder, now: Int64) -> (code: String, accessToken: String) {
        // A code stays known for some time after its end, so that it is told from an unknown one.
        codes = codes.filter { now < $0.value.issuedAt + 10 * Self.codeLifetime }
        grants.removeAll { $0.accessTokenEnd + Self.accessTokenLifetime < now }
        let code = RandomText.hexadecimal(16).uppercased()
        codes[code] = Code(user: order.user, issuedAt: order.isExpired ? now - Self.codeLifetime : now)
        let grant = Grant(user: order.user, accessTokenEnd: order.isExpired ? now : now + Self.accessTokenLifetime)
        grants.append(grant)
        return (code, grant.accessToken)
    }

    mutating func redeem(
        _ text: String, clientID: String, redirectURI: String, now: Int64
    ) throws(QQError) -> Grant {
        guard let code = codes[text], code.user.clientID ?? clientID == clientID else { throw .failedExchange }
        if let fault = code.user.fault { throw QQError(fault) }
        guard code.user.redirectURI ?? redirectURI == redirectURI else { throw .wrongRedirect }
        guard !code.isUsed else { throw .usedCode }
        guard now < code.issuedAt + Self.codeLifetime else { throw .failedExchange }
        codes[text]?.isUsed = true
        let grant = Grant(user: code.user, accessTokenEnd: now + Self.accessTokenLifetime)
        grants.append(grant)
        return grant
    }

    mutating func refresh(_ token: String, clientID: String, now: Int64) throws(QQError) -> Grant {
        guard let index = grants.firstIndex(where: { $0.refreshToken == token }),
            grants[index].user.clientID ?? clientID == clientID
        else { throw .failedRefresh }
        grants[index] = Grant(user: grants[index].user, accessTokenEnd: now + Self.accessTokenLifetime)
        return grants[index]
    }

    func grant(of token: String) -> Grant? { grants.first { $0.accessToken == token } }
}

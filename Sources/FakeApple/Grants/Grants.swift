/// Codes and tokens that were given out, and the rules by which they hold.
struct Grants {
    private(set) var all: [Grant]
    private var codes: [String: Code] = [:]

    init(_ all: [Grant] = []) {
        self.all = all
    }

    mutating func add(_ login: MintedLogin) {
        codes = codes.filter { login.authenticatedAt < $0.value.issuedAt + Code.lifetime }
        codes[login.code] = Code(person: login.person, issuedAt: login.authenticatedAt)
    }

    mutating func redeem(code text: String, clientID: String, now: Int64) throws(OAuthError) -> Issue {
        guard let code = codes[text], now < code.issuedAt + Code.lifetime else {
            throw OAuthError(.invalidGrant, "this code is unknown, or older than five minutes")
        }
        guard code.person.audience == clientID else {
            throw OAuthError(.invalidGrant, "this code was given to another app")
        }
        guard !code.isUsed else { throw OAuthError(.invalidGrant, "this code was redeemed before") }
        codes[text]?.isUsed = true
        var grant = Grant(person: code.person)
        let accessToken = grant.newAccessToken(now: now)
        all.append(grant)
        return Issue(
            person: code.person, accessToken: accessToken, refreshToken: grant.refreshToken,
            authenticatedAt: code.issuedAt)
    }

    mutating func renew(refreshToken: String, clientID: String, now: Int64) throws(OAuthError) -> Issue {
        guard let index = all.firstIndex(where: { $0.refreshToken == refreshToken }) else {
            throw OAuthError(.invalidGrant, "this refresh token is unknown, or was revoked")
        }
        guard all[index].person.audience == clientID else {
            throw OAuthError(.invalidGrant, "this refresh token was given to another app")
        }
        return Issue(
            person: all[index].person, accessToken: all[index].newAccessToken(now: now), refreshToken: nil,
            authenticatedAt: nil)
    }

    /// Ends what a token stands for: the person's authorisation of the app, with every token of it. A token that is
    /// unknown or was revoked before is no error: Apple documents 200 for it ("Revoke tokens", response codes), as does
    /// RFC 7009, section 2.2.
    mutating func revoke(_ token: String, clientID: String) throws(OAuthError) {
        guard let grant = all.first(where: { $0.owns(token) }) else { return }
        guard grant.person.audience == clientID else {
            throw OAuthError(.invalidGrant, "this token was given to another app")
        }
        all.removeAll { $0.person.subject == grant.person.subject && $0.person.audience == clientID }
    }
}

import FileSystem
import JSON
import Synchronization

/// The issued codes and tokens, with the rules for their validity.
struct Grants {
    private(set) var all: [Grant]
    private(set) var consents: Set<Consent>
    private var codes: [String: AuthorizationCode] = [:]

    init() {
        all = []
        consents = []
    }

    mutating func add(_ text: String, _ code: AuthorizationCode) {
        codes = codes.filter { code.issuedAt < $0.value.issuedAt + AuthorizationCode.lifetime }
        codes[text] = code
    }

    /// Returns whether it is the user's first one for the client.
    mutating func consent(_ person: Person) -> Bool {
        consents.insert(Consent(subject: person.subject, clientID: person.audience)).inserted
    }

    /// - Parameter redirectURI: Apple's page issues a code for the address in its request, and the client must send the same
    ///   address. A client that redeems a code of an app must send none.
    mutating func redeem(
        code text: String, clientID: String, redirectURI: String?, now: Int64
    ) throws(OAuthError) -> IssuedTokens {
        guard let code = codes[text], now < code.issuedAt + AuthorizationCode.lifetime else {
            throw .expiredCode
        }
        guard code.person.audience == clientID else { throw .mismatch("client_id", clientID) }
        guard code.web?.redirectURI == redirectURI else { throw .mismatch("redirect_uri", redirectURI ?? "null") }
        guard !code.isUsed else { throw .usedCode }
        codes[text]?.isUsed = true
        var grant = Grant(person: code.person)
        let accessToken = grant.newAccessToken(now: now)
        all.append(grant)
        return IssuedTokens(
            person: code.person, accessToken: accessToken, refreshToken: grant.refreshToken,
            authenticatedAt: code.issuedAt, web: code.web)
    }

    mutating func renew(refreshToken: String, clientID: String, now: Int64) throws(OAuthError) -> IssuedTokens {
        guard let index = all.firstIndex(where: { $0.refreshToken == refreshToken }) else {
            throw OAuthError(.invalidGrant, "the refresh token is unknown, or was revoked")
        }
        guard all[index].person.audience == clientID else {
            throw OAuthError(.invalidGrant, "the refresh token was issued to another app")
        }
        return IssuedTokens(
            person: all[index].person, accessToken: all[index].newAccessToken(now: now), refreshToken: nil,
            authenticatedAt: nil)
    }

    /// Ends the user's authorisation of the app, with all its tokens. An unknown or revoked token is not an error:
    /// Apple documents 200 for it ("Revoke tokens", response codes), as does RFC 7009, section 2.2.
    mutating func revoke(_ token: String, clientID: String) throws(OAuthError) {
        guard let grant = all.first(where: { $0.owns(token) }) else { return }
        guard grant.person.audience == clientID else {
            throw OAuthError(.invalidGrant, "the token was issued to another app")
        }
        all.removeAll { $0.person.subject == grant.person.subject && $0.person.audience == clientID }
        consents.remove(Consent(subject: grant.person.subject, clientID: clientID))
    }
}

extension Grants {
    var json: JSONObject {
        [
            "grants": .array(all.map { .object($0.json) }), "consents": .array(consents.map { .object($0.json) }),
        ]
    }

    /// Parses the output of `json`.
    init?(_ json: JSONObject) {
        let known = json["grants"]?.array?.map { $0.object.flatMap(Grant.init) }
        // A file of before has no consents.
        let consents = json["consents"].map { $0.array?.map { $0.object.flatMap(Consent.init) } } ?? []
        guard let known, let consents, !known.contains(where: { $0 == nil }), !consents.contains(where: { $0 == nil })
        else { return nil }
        all = known.compactMap(\.self)
        self.consents = Set(consents.compactMap(\.self))
    }
}

/// Keeps the grants in a file, so that they survive a kill of the process.
final class GrantStore: Sendable {
    private let file: StateFile
    private let grants: Mutex<Grants>

    init(in folder: String?) throws {
        file = StateFile(folder, "grants.json")
        grants = Mutex(try file.read(Grants.init) ?? Grants())
    }

    var all: [Grant] { grants.withLock(\.all) }

    /// Codes expire after five minutes, and are only kept in memory.
    func add(_ login: MintedLogin) {
        grants.withLock { $0.add(login.code, AuthorizationCode(person: login.person, issuedAt: login.authenticatedAt)) }
    }

    /// Keeps a code of the page. Returns whether the user consents to the client for the first time.
    func add(_ text: String, _ code: AuthorizationCode) -> Bool {
        grants.withLock { grants in
            grants.add(text, code)
            guard grants.consent(code.person) else { return false }
            write(grants)
            return true
        }
    }

    /// Changes the grants, and writes them to the file before it returns.
    func change<Result>(_ body: (inout Grants) throws(OAuthError) -> Result) throws(OAuthError) -> Result {
        try grants.withLock { grants throws(OAuthError) in
            let before = grants.all
            let result = try body(&grants)
            if grants.all != before { write(grants) }
            return result
        }
    }

    private func write(_ grants: Grants) {
        do { try file.write(grants.json) } catch {
            StandardStream.error.line("fake Apple: \(error)")
        }
    }
}

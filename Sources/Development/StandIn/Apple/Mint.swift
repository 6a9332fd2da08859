package import JOSE
package import JSON
import OpenSSL

/// Signs tokens in the form of Apple's.
package struct Mint: Sendable {
    private let key: SigningKey
    private let view: TeamView

    /// - Parameter view: how the owner of the app sees persons.
    package init(key: SigningKey, view: TeamView = TeamView()) {
        self.key = key
        self.view = view
    }

    /// The body of a login. Its code cannot be exchanged.
    package func login(_ order: MintOrder, now: Int64) -> JSONObject {
        mintLogin(order, now: now).body
    }

    func mintLogin(_ order: MintOrder, now: Int64) -> MintedLogin {
        let subject = order.subject.map(view.person) ?? RandomText.appleSubject()
        let person = Person(subject: subject, audience: order.audience, email: order.email, era: order.era)
        let code = RandomText.ofApple("c")
        var body: JSONObject = [
            "identityToken": .string(token(order, for: person, code: code, now: now)),
            "authorizationCode": .string(code),
            "userIdentifier": .string(order.claims["sub"]?.string ?? view.subject(of: subject)),
        ]
        if let nonce = order.nonce { body["nonce"] = .string(nonce) }
        if order.givenName != nil || order.familyName != nil {
            body["fullName"] = .object([
                "givenName": order.givenName.map(JSONValue.string) ?? .null,
                "familyName": order.familyName.map(JSONValue.string) ?? .null,
            ])
        }
        return MintedLogin(body: body, code: code, person: person, authenticatedAt: now)
    }

    private func token(_ order: MintOrder, for person: Person, code: String, now: Int64) -> String {
        var claims = person.seen(by: view).claims(now: now)
        claims["c_hash"] = .string(Self.halfHash(of: code))
        claims["auth_time"] = .integer(now)
        claims["nonce"] = order.nonce.map(JSONValue.string)
        if let subject = order.transferSubject { claims["transfer_sub"] = .string(subject) }
        claims.replaceMembers(by: order.claims)
        return sign(claims, header: order.header)
    }

    /// The identity token of `/auth/token`, with the hash of the access token.
    ///
    /// - Parameters:
    ///   - authenticatedAt: nil when a refresh token is exchanged: the user does not authenticate then.
    ///   - web: for a code of the page, whose request had the nonce.
    func token(
        for person: Person, accessToken: String, authenticatedAt: Int64?, web: WebCode? = nil, now: Int64
    ) -> String {
        var claims = person.seen(by: view).claims(now: now)
        claims["at_hash"] = .string(Self.halfHash(of: accessToken))
        claims["auth_time"] = authenticatedAt.map(JSONValue.integer)
        return sign(claims, web)
    }

    /// The identity token that comes beside a code of the page.
    func webToken(for person: Person, code: String, web: WebCode, now: Int64) -> String {
        var claims = person.seen(by: view).claims(now: now)
        claims["c_hash"] = .string(Self.halfHash(of: code))
        claims["auth_time"] = .integer(now)
        return sign(claims, web)
    }

    private func sign(_ usual: JSONObject, _ web: WebCode?) -> String {
        var claims = usual
        claims["nonce"] = web?.nonce.map(JSONValue.string)
        claims.replaceMembers(by: web?.changes.claims ?? [:])
        return sign(claims, header: web?.changes.header ?? [:])
    }

    /// The subject that the owner of the app knows.
    func subject(_ subject: String) -> String { view.subject(of: view.person(of: subject)) }

    /// Always signs with RS256, even if the header names another algorithm, so that tests can forge tokens.
    func sign(_ claims: JSONObject, header changes: JSONObject = [:]) -> String {
        var header: JSONObject = ["kid": .string(key.keyID ?? ""), "alg": "RS256"]
        header.replaceMembers(by: changes)
        let input = Base64URL.encode(header.bytes) + "." + Base64URL.encode(claims.bytes)
        guard let signature = try? key.sign(Array(input.utf8)) else { preconditionFailure("the RSA key cannot sign") }
        return input + "." + Base64URL.encode(signature)
    }

    /// The left half of the hash of a code or an access token: OpenID Connect Core 1.0, section 3.3.2.11.
    private static func halfHash(of text: String) -> String {
        Base64URL.encode(Array(SHA256.hash(Array(text.utf8)).prefix(16)))
    }
}

/// A minted login, and the data for exchanging its code.
struct MintedLogin {
    /// The body that an app posts: the token and the fields beside it.
    let body: JSONObject
    let code: String
    /// The user of the code.
    let person: Person
    let authenticatedAt: Int64
}

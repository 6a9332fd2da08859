package import JOSE
package import JSON
import OpenSSL

/// Makes what Apple signs as Apple makes it.
package struct Mint: Sendable {
    private let key: SigningKey

    package init(key: SigningKey) {
        self.key = key
    }

    /// The body of a login with Apple, whose code no fake Apple knows.
    package func login(_ order: MintOrder, now: Int64) -> JSONObject {
        mintLogin(order, now: now).body
    }

    func mintLogin(_ order: MintOrder, now: Int64) -> MintedLogin {
        let subject = order.subject ?? RandomText.subject()
        let person = Person(subject: subject, audience: order.audience, email: order.email, era: order.era)
        let code = RandomText.token("c")
        var body: JSONObject = [
            "identityToken": .string(token(order, for: person, code: code, now: now)),
            "authorizationCode": .string(code),
            "userIdentifier": .string(order.claims["sub"]?.string ?? subject),
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
        var claims = person.claims(now: now)
        claims["c_hash"] = .string(Self.halfHash(of: code))
        claims["auth_time"] = .integer(now)
        claims["nonce"] = order.nonce.map(JSONValue.string)
        claims["transfer_sub"] = order.transferSubject.map(JSONValue.string)
        claims.replaceMembers(by: order.claims)
        return sign(claims, header: order.header)
    }

    /// What `/auth/token` gives beside an access token, which it names by its hash.
    /// - Parameter authenticatedAt: nil in exchange for a refresh token, when nobody has authenticated.
    func token(for person: Person, accessToken: String, authenticatedAt: Int64?, now: Int64) -> String {
        var claims = person.claims(now: now)
        claims["at_hash"] = .string(Self.halfHash(of: accessToken))
        claims["auth_time"] = authenticatedAt.map(JSONValue.integer)
        return sign(claims)
    }

    /// Signed with RS256 whatever the header claims, so that forgeries can be made as well.
    func sign(_ claims: JSONObject, header changes: JSONObject = [:]) -> String {
        var header: JSONObject = ["kid": .string(key.keyID ?? ""), "alg": "RS256"]
        header.replaceMembers(by: changes)
        let input = Base64URL.encode(header.bytes) + "." + Base64URL.encode(claims.bytes)
        guard let signature = try? key.sign(Array(input.utf8)) else { preconditionFailure("an RSA key signs") }
        return input + "." + Base64URL.encode(signature)
    }

    /// OpenID Connect Core 1.0, section 3.3.2.11: the left half of the hash, of a code or of an access token.
    private static func halfHash(of text: String) -> String {
        Base64URL.encode(Array(SHA256.hash(Array(text.utf8)).prefix(16)))
    }
}

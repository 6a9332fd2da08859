package import JOSE
package import JSON
import OpenSSL

/// Makes identity tokens as Apple makes them.
package struct Mint: Sendable {
    private let key: SigningKey

    package init(key: SigningKey) {
        self.key = key
    }

    /// The body of a login with Apple, ready to be posted: a token and what the app would send beside it.
    package func login(_ order: MintOrder, now: Int64) -> JSONObject {
        let code = "c" + hexadecimal(SecureRandom.bytes(16)) + ".0.fake." + hexadecimal(SecureRandom.bytes(8))
        let subject = order.subject ?? newSubject()
        var login: JSONObject = [
            "identityToken": .string(token(order, subject: subject, code: code, now: now)),
            "authorizationCode": .string(code),
            "userIdentifier": .string(order.claims["sub"]?.string ?? subject),
        ]
        if let nonce = order.nonce { login["nonce"] = .string(nonce) }
        if order.givenName != nil || order.familyName != nil {
            login["fullName"] = .object([
                "givenName": order.givenName.map(JSONValue.string) ?? .null,
                "familyName": order.familyName.map(JSONValue.string) ?? .null,
            ])
        }
        return login
    }

    private func token(_ order: MintOrder, subject: String, code: String, now: Int64) -> String {
        var claims: JSONObject = [
            "iss": "https://appleid.apple.com", "aud": .string(order.audience), "exp": .integer(now + 86_400),
            "iat": .integer(now), "sub": .string(subject),
            "c_hash": .string(Base64URL.encode(Array(SHA256.hash(Array(code.utf8)).prefix(16)))),
            "email": .string(order.email ?? subject.suffix(8).filter(\.isHexDigit) + "@privaterelay.appleid.com"),
            "email_verified": true, "is_private_email": .bool(order.email == nil), "auth_time": .integer(now),
            "nonce_supported": true,
        ]
        if let nonce = order.nonce { claims["nonce"] = .string(nonce) }
        claims.replaceMembers(by: order.claims)
        var header: JSONObject = ["kid": .string(key.keyID ?? ""), "alg": "RS256"]
        header.replaceMembers(by: order.header)
        return sign(claims, header: header)
    }

    /// Signed with RS256 whatever the header claims, so that forgeries can be made as well.
    private func sign(_ claims: JSONObject, header: JSONObject) -> String {
        let input = Base64URL.encode(header.bytes) + "." + Base64URL.encode(claims.bytes)
        guard let signature = try? key.sign(Array(input.utf8)) else { preconditionFailure("an RSA key signs") }
        return input + "." + Base64URL.encode(signature)
    }

    /// As Apple writes them: team, account, and the hour and minute of the first login.
    private func newSubject() -> String {
        "00" + "1234" + "." + hexadecimal(SecureRandom.bytes(16)) + ".0930"
    }

    private func hexadecimal(_ bytes: [UInt8]) -> String {
        bytes.map { String(Int($0) + 256, radix: 16).dropFirst() }.joined()
    }
}

extension JSONObject {
    /// Takes over the members of an order, of which `null` takes one away.
    fileprivate mutating func replaceMembers(by order: JSONObject) {
        for (name, value) in order.members {
            if value.isNull { self[name] = .none } else { self[name] = value }
        }
    }
}

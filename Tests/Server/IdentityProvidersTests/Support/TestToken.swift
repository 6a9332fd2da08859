import JOSE
import JSON

/// Tokens that differ from a valid one in one thing. They have a valid signature by default, so that only this
/// difference can be the reason for a refusal.
enum TestToken {
    /// With another value for one claim, or without it.
    static func withClaim(_ name: String, _ value: JSONValue?) -> String {
        withClaims([(name, value)])
    }

    static func withClaims(_ changes: [(String, JSONValue?)]) -> String {
        make(payload: changed(ValidLogin.claims, changes).description)
    }

    /// With another value for one member of the header, or without it.
    static func withHeader(_ name: String, _ value: JSONValue?) -> String {
        make(header: changed(ValidLogin.header, [(name, value)]).description)
    }

    /// With any header and payload; they need not be JSON.
    static func make(
        header: String = ValidLogin.header.description, payload: String = ValidLogin.claims.description,
        by key: SigningKey = ValidLogin.key
    ) -> String {
        signed(Base64URL.encode(Array(header.utf8)) + "." + Base64URL.encode(Array(payload.utf8)), by: key)
    }

    /// With any signing input; it need not be base64url.
    static func signed(_ input: String, by key: SigningKey = ValidLogin.key) -> String {
        guard let signature = try? key.sign(Array(input.utf8)) else { preconditionFailure("a test key failed to sign") }
        return input + "." + Base64URL.encode(signature)
    }

    /// The object with other values for these members; nil removes one.
    static func changed(_ object: JSONObject, _ changes: [(String, JSONValue?)]) -> JSONObject {
        var object = object
        for (name, value) in changes { object[name] = value }
        return object
    }
}

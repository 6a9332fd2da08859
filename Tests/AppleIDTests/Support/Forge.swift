import JOSE
import JSON

/// Tokens with one thing about them changed, signed by Apple all the same unless told otherwise: so that it is the
/// change that gets them refused.
enum Forge {
    /// With another value for one claim, or without it.
    static func claim(_ name: String, _ value: JSONValue?) -> String {
        claims([(name, value)])
    }

    static func claims(_ changes: [(String, JSONValue?)]) -> String {
        token(payload: changed(Genuine.claims, changes).description)
    }

    /// With another value for one member of the header, or without it.
    static func header(_ name: String, _ value: JSONValue?) -> String {
        token(header: changed(Genuine.header, [(name, value)]).description)
    }

    /// With header and payload that need not be JSON.
    static func token(
        header: String = Genuine.header.description, payload: String = Genuine.claims.description,
        by key: SigningKey = Genuine.key
    ) -> String {
        signed(Base64URL.encode(Array(header.utf8)) + "." + Base64URL.encode(Array(payload.utf8)), by: key)
    }

    /// With a signing input that need not be base64url.
    static func signed(_ input: String, by key: SigningKey = Genuine.key) -> String {
        guard let signature = try? key.sign(Array(input.utf8)) else { preconditionFailure("the keys of tests sign") }
        return input + "." + Base64URL.encode(signature)
    }

    private static func changed(_ object: JSONObject, _ changes: [(String, JSONValue?)]) -> JSONObject {
        var object = object
        for (name, value) in changes { object[name] = value }
        return object
    }
}

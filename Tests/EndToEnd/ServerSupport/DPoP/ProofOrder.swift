import JSON

/// A proof of possession (RFC 9449) that `ProofMaker` makes: a right one for a request, and how it differs from that.
struct ProofOrder: Sendable {
    /// A name, and the type after the colon. The same name is the same key.
    var key: String
    var method: String
    var url: String
    /// The access token for `ath`.
    var token: String?
    /// How many seconds ago `iat` is.
    var age: Int64?
    var claims: JSONObject = [:]
    var header: JSONObject = [:]
    /// Names of claims, or `header.NAME`, that are left out.
    var without: [String] = []
    /// The algorithm that signs, if it is not that of the key.
    var algorithm: String?
    /// A text that signs by HMAC, in place of the key.
    var secret: String?
    /// A fault of the signature: `make-proofs.py` lists them.
    var signature: String?
    /// The header and the claims, in place of all above.
    var texts: [String]?

    init(_ key: String, _ method: String, _ url: String, token: String? = nil) {
        (self.key, self.method, self.url, self.token) = (key, method, url, token)
    }

    var json: JSONObject {
        var json: JSONObject = [
            "key": .string(key), "method": .string(method), "url": .string(url), "claims": .object(claims),
            "header": .object(header), "without": .array(without.map { .string($0) }),
        ]
        if let age { json["age"] = .integer(age) }
        if let texts { json["texts"] = .array(texts.map { .string($0) }) }
        for (name, value) in [
            ("token", token), ("algorithm", algorithm), ("secret", secret), ("signature", signature),
        ] {
            if let value { json[name] = .string(value) }
        }
        return json
    }
}

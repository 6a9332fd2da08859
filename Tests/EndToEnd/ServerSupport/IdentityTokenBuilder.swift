import FakeApple
import JOSE
import JSON

/// Takes the identity token of a valid login apart and builds variants of it, signed with Apple's key.
struct IdentityTokenBuilder: Sendable {
    /// The request body of the valid login.
    let body: JSONObject
    let header: JSONObject
    let claims: JSONObject
    let signature: [UInt8]
    let key: SigningKey

    init(_ apple: FakeAppleIssuer, subject: String = "001.forged") throws {
        key = apple.keys[0]
        body = apple.login(subject, signedBy: key) {
            $0.nonce = "a nonce"
            $0.email = "forged@example.com"
        }
        let jws = try CompactJWS(body["identityToken"]?.string ?? "")
        header = jws.header
        claims = try jws.claims()
        signature = jws.signature
    }

    var token: String { body["identityToken"]?.string ?? "" }

    /// The encoded header, payload and signature.
    var parts: [String] { token.split(separator: ".").map(String.init) }

    func with(header name: String, _ value: JSONValue?) -> String {
        var header = header
        header[name] = value
        return signed(header: header.description)
    }

    func with(claim name: String, _ value: JSONValue?) -> String {
        var claims = claims
        claims[name] = value
        return signed(payload: claims.description)
    }

    /// With a claim whose text a `JSONValue` cannot represent.
    func with(claim name: String, spelled text: String) -> String {
        var claims = claims
        claims[name] = nil
        return signed(payload: "{\"\(name)\":\(text)," + claims.description.dropFirst())
    }

    /// Signs any texts as header and payload, with Apple's key unless another is given.
    func signed(header: String? = nil, payload: String? = nil, by other: SigningKey? = nil) -> String {
        signed(
            input: Base64URL.encode(Array((header ?? self.header.description).utf8)) + "."
                + Base64URL.encode(Array((payload ?? claims.description).utf8)), by: other)
    }

    /// Signs any text as signing input, even if it is not base64url.
    func signed(input: String, by other: SigningKey? = nil) -> String {
        guard let signature = try? (other ?? key).sign(Array(input.utf8)) else {
            preconditionFailure("the key can sign")
        }
        return join(input, signature)
    }

    /// A token with these bytes as signature.
    func join(_ input: String, _ signature: [UInt8]) -> String { input + "." + Base64URL.encode(signature) }

    /// The signing input of the valid token.
    var input: String { parts[..<2].joined(separator: ".") }
}

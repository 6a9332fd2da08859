import FakeApple
import JOSE
import JSON

/// A genuine login with Apple taken apart, with Apple's key at hand: what is put together again is wrong in one thing.
struct Workshop: Sendable {
    /// What an app posts.
    let body: JSONObject
    let header: JSONObject
    let claims: JSONObject
    let signature: [UInt8]
    let key: SigningKey

    init(_ apple: FakeAppleStand, subject: String = "001.forged") throws {
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

    /// Header, payload and signature as they stand in the token.
    var parts: [String] { token.split(separator: ".").map(String.init) }

    func with(header name: String, _ value: JSONValue?) -> String {
        var header = header
        header[name] = value
        return sealed(header: header.description)
    }

    func with(claim name: String, _ value: JSONValue?) -> String {
        var claims = claims
        claims[name] = value
        return sealed(payload: claims.description)
    }

    /// With a claim in a spelling that no `JSONValue` has.
    func with(claim name: String, spelled text: String) -> String {
        var claims = claims
        claims[name] = nil
        return sealed(payload: "{\"\(name)\":\(text)," + claims.description.dropFirst())
    }

    /// Of texts that need not be JSON; rightly signed, unless by another key.
    func sealed(header: String? = nil, payload: String? = nil, by other: SigningKey? = nil) -> String {
        sealed(
            input: Base64URL.encode(Array((header ?? self.header.description).utf8)) + "."
                + Base64URL.encode(Array((payload ?? claims.description).utf8)), by: other)
    }

    /// Of a text that need not be base64url.
    func sealed(input: String, by other: SigningKey? = nil) -> String {
        guard let signature = try? (other ?? key).sign(Array(input.utf8)) else { preconditionFailure("a key signs") }
        return signed(input, signature)
    }

    /// With any bytes for a signature.
    func signed(_ input: String, _ signature: [UInt8]) -> String { input + "." + Base64URL.encode(signature) }

    /// What Apple has signed.
    var input: String { parts[..<2].joined(separator: ".") }
}

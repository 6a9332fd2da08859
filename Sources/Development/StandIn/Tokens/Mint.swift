package import JOSE
import JSON
import OpenSSL

/// Signs tokens, whose header and claims may say anything, so that tests can forge them.
package struct Mint: Sendable {
    private let key: SigningKey

    package init(key: SigningKey) {
        self.key = key
    }

    /// Always signs with the key, even if the header names another algorithm.
    ///
    /// - Parameter changes: of the header.
    func sign(_ claims: JSONObject, type: String? = nil, header changes: JSONObject) -> String {
        var header: JSONObject = ["kid": .string(key.keyID ?? ""), "alg": .string(key.algorithm.rawValue)]
        header["typ"] = type.map(JSONValue.string)
        let input = Base64URL.encode(header.replacing(changes).bytes) + "." + Base64URL.encode(claims.bytes)
        guard let signature = try? key.sign(Array(input.utf8)) else { preconditionFailure("the key cannot sign") }
        return input + "." + Base64URL.encode(signature)
    }

    /// The left half of the hash of a code or an access token: OpenID Connect Core 1.0, sections 3.1.3.6 and 3.3.2.11.
    static func halfHash(of text: String) -> JSONValue {
        .string(Base64URL.encode(Array(SHA256.hash(Array(text.utf8)).prefix(SHA256.byteCount / 2))))
    }
}

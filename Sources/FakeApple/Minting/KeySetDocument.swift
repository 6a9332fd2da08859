import JOSE
import JSON

/// What Apple publishes at `/auth/keys`.
enum KeySetDocument {
    static func bytes(of key: SigningKey) -> [UInt8] {
        var jwk = key.publicJWK ?? [:]
        jwk["use"] = "sig"
        jwk["alg"] = "RS256"
        let set: JSONObject = ["keys": .array([.object(jwk)])]
        return set.bytes
    }
}

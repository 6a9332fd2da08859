import JOSE
import JSON

/// What Apple publishes at `/auth/keys`.
enum KeySetDocument {
    static func bytes(of keys: [SigningKey]) -> [UInt8] {
        let set: JSONObject = ["keys": .array(keys.compactMap { $0.publicJWK.map(JSONValue.object) })]
        return set.bytes
    }
}

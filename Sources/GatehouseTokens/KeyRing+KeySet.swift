import JOSE
import JSON

extension KeyRing {
    /// The key set (RFC 7517) for whoever verifies these tokens without us: the public halves, the signing key's first.
    /// Nil for a ring of secrets, of which nothing is published.
    package var publishedKeySet: [UInt8]? {
        let keys = all.compactMap(\.publicJWK).map(JSONValue.object)
        guard !keys.isEmpty else { return nil }
        let set: JSONObject = ["keys": .array(keys)]
        return set.bytes
    }
}

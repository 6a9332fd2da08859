import Gatehouse
import IdentityProviders
import JOSE

extension KeySetState {
    /// The result of a lookup as a text: the key's id, or the name of the case.
    mutating func result(for keyID: String, at now: Timestamp, hasWaited: Bool = false) -> String {
        switch lookUp(KeyReference(keyID: keyID, algorithm: .RS256), now: now, hasWaited: hasWaited) {
        case .keys(let keys): keys[0].keyID ?? "a key without an id"
        case .unknown: "unknown"
        case .unavailable: "unavailable"
        case .fetch: "fetch"
        case .wait(atMost: KeySetPolicy().waitTimeout): "wait"
        case .wait(let time): "wait \(time.milliseconds) ms"
        }
    }
}

extension JWKSet {
    /// A key set with these keys.
    static func of(_ keys: SigningKey...) -> JWKSet? {
        try? JWKSet(parsing: ValidLogin.bytes(ofSetWith: keys))
    }
}

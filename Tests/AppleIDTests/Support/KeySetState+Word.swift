import AppleID
import Gatehouse
import JOSE

extension KeySetState {
    /// The answer in a word: the name of the key, or the name of the answer.
    mutating func word(for keyID: String, at now: Timestamp, hasWaited: Bool = false) -> String {
        switch ask(for: keyID, now: now, hasWaited: hasWaited) {
        case .key(let key): key.keyID ?? "a key without a name"
        case .unknown: "unknown"
        case .unavailable: "unavailable"
        case .fetch: "fetch"
        case .wait(atMost: KeySetPolicy().patience): "wait"
        case .wait(let time): "wait \(time.milliseconds) ms"
        }
    }
}

extension JWKSet {
    /// A set with some of the tests' keys.
    static func of(_ keys: SigningKey...) -> JWKSet? {
        try? JWKSet(parsing: Genuine.bytes(ofSetWith: keys))
    }
}

import JOSE
import JSON

/// Reads tokens of one kind: signed by a key of its ring and marked with its type, so that a token of another kind
/// is refused even where two kinds shared a key.
struct TokenReader: Sendable {
    private static let longestToken = 4096

    let type: String
    let ring: KeyRing

    /// The claims of a token that is genuine; nil for every other, without saying what was wrong with it.
    func claims(of token: String) -> JSONObject? {
        guard let jws = try? CompactJWS(token, maximumBytes: Self.longestToken), jws.type == type,
            let key = ring.key(named: jws.keyID), (try? jws.verify(with: key)) != nil
        else { return nil }
        return try? jws.claims()
    }
}

import JOSE
import JSON

/// Reads tokens of one kind: signed by a key of its ring and marked with its type, so that a token of another kind
/// is refused even where two kinds shared a key.
struct TokenReader: Sendable {
    private let verifier: TokenVerifier

    init(type: String, ring: KeyRing) {
        verifier = TokenVerifier(keys: ring.all, type: type)
    }

    /// The payload of a token that is genuine; nil for every other, without saying what was wrong with it.
    func payload(of token: String) -> [UInt8]? { verifier.payload(of: token) }

    /// The claims of such a token.
    func claims(of token: String) -> JSONMembers? {
        payload(of: token).flatMap { try? JSONMembers(parsing: $0) }
    }
}

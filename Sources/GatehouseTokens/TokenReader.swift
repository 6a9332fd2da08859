import JOSE
import JSON

/// Reads tokens of one kind: signed by a key of its ring and marked with its type, so that a token of another kind
/// is refused even where two kinds shared a key.
struct TokenReader: Sendable {
    private let verifier: TokenVerifier

    init(type: String, ring: KeyRing) {
        verifier = TokenVerifier(keys: ring.all, type: type)
    }

    /// The claims of a token that is genuine; nil for every other, without saying what was wrong with it.
    ///
    /// Nearly always they stand as we have written them. Others with a key of ours may add some, or choose another order.
    func claims<Parser: ClaimParser>(of token: Span<UInt8>, by parser: Parser) -> Parser.Claims? {
        guard let payload = verifier.payload(of: token) else { return nil }
        var sequence = JSONSequence(payload)
        if let claims = parser.parse(&sequence), sequence.isAtEnd { return claims }
        guard var members = try? JSONMembers(parsing: payload) else { return nil }
        return parser.parse(&members)
    }
}

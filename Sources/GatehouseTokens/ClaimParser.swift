import JSON

/// Knows the claims of one kind of token.
protocol ClaimParser {
    associatedtype Claims

    /// Asks for every claim that is written, in that order; nil where one that is needed is missing or of another kind.
    func parse(_ json: inout some JSONClaims) -> Claims?
}

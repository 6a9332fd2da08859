/// What this installation takes for an identity token of its own.
package struct IdentityTokenPolicy: Sendable {
    package static let appleIssuer = "https://appleid.apple.com"

    package var issuers: [String]
    /// Bundle ids and Services IDs.
    package var audiences: [String]
    package var nonce: NonceRule
    /// How far two clocks may differ.
    package var leeway: Duration

    /// Whether a login has to bring a nonce.
    package enum NonceRule: String, Sendable, CaseIterable {
        case optional
        case required
        /// One that we have given out. Here as good as `required`: the domain knows which those are.
        case challenge
    }

    package init(
        issuers: [String] = [Self.appleIssuer], audiences: [String], nonce: NonceRule = .optional,
        leeway: Duration = .seconds(60)
    ) {
        self.issuers = issuers
        self.audiences = audiences
        self.nonce = nonce
        self.leeway = leeway
    }
}

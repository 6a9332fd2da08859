/// Which identity tokens of Apple this installation accepts.
package struct IdentityTokenPolicy: Sendable {
    package static let appleIssuer = "https://appleid.apple.com"

    package var issuers: [String]
    /// Bundle ids and Services IDs.
    package var audiences: [String]
    package var nonce: NonceRule
    /// The largest accepted difference between Apple's clock and this server's.
    package var leeway: Duration
    /// Whether a token that comes with a code has to have the hash of it. It has one where both come through a browser
    /// (OpenID Connect Core 1.0, section 3.3.2.11).
    package var demandsCodeHash: Bool

    /// Whether a login must have a nonce.
    package enum NonceRule: String, Sendable, CaseIterable {
        case optional
        case required
        /// A nonce that this server has issued. The same as `required` here: the domain checks who issued it.
        case challenge
    }

    package init(
        issuers: [String] = [Self.appleIssuer], audiences: [String], nonce: NonceRule = .optional,
        leeway: Duration = .seconds(60), demandsCodeHash: Bool = false
    ) {
        self.issuers = issuers
        self.audiences = audiences
        self.nonce = nonce
        self.leeway = leeway
        self.demandsCodeHash = demandsCodeHash
    }
}

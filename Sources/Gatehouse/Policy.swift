/// The rules of one installation, fixed at start.
package struct Policy: Sendable {
    /// No access token of ours ever lives longer, whatever this installation was told before it was started anew.
    package static let longestAccessTokenLifetime = Duration.seconds(86_400)

    package var accessTokenLifetime: Duration
    package var refresh: RefreshPolicy
    /// SHA-256 of the secret that allows signing in without a provider; nil closes that door.
    package var devSecretHash: [UInt8]?
    /// The app that a login belongs to where no provider names one.
    package var defaultClientID: String

    package init(
        accessTokenLifetime: Duration = .seconds(900), refresh: RefreshPolicy = RefreshPolicy(),
        devSecretHash: [UInt8]? = nil, defaultClientID: String
    ) {
        self.accessTokenLifetime = accessTokenLifetime
        self.refresh = refresh
        self.devSecretHash = devSecretHash
        self.defaultClientID = defaultClientID
    }
}

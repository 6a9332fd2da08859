/// The rules of one installation. Others may hold at the next request, and have held before.
package struct Policy: Sendable {
    /// No access token of ours ever lives longer, whatever this installation was told before.
    package static let longestAccessTokenLifetime = Duration.seconds(86_400)

    /// How long what has ended is remembered. The tokens out there were issued by the rules of an earlier day, and
    /// perhaps a moment after the end was decided on: so it is longer than any token lives.
    static let revocationMemory = longestAccessTokenLifetime + .seconds(60)

    package var accessTokenLifetime: Duration
    package var refresh: RefreshPolicy
    /// SHA-256 of the secret that allows signing in without a provider; nil closes that door.
    package var devSecretHash: [UInt8]?
    /// The app that a login belongs to where no provider names one.
    package var defaultClientID: String
    /// How long the audit trail is kept.
    package var auditRetention: Duration
    /// How old a login may be that links, unlinks or deletes; nil where any login will do.
    package var sensitiveMaxAge: Duration?
    /// How many sessions of one user live at a time.
    package var sessionsPerUser: Int
    package var apple: ApplePolicy

    package init(
        accessTokenLifetime: Duration = .seconds(900), refresh: RefreshPolicy = RefreshPolicy(),
        devSecretHash: [UInt8]? = nil, defaultClientID: String, auditRetention: Duration = .seconds(90 * 86_400),
        sensitiveMaxAge: Duration? = nil, sessionsPerUser: Int = 100, apple: ApplePolicy = ApplePolicy()
    ) {
        self.accessTokenLifetime = accessTokenLifetime
        self.refresh = refresh
        self.devSecretHash = devSecretHash
        self.defaultClientID = defaultClientID
        self.auditRetention = auditRetention
        self.sensitiveMaxAge = sensitiveMaxAge
        self.sessionsPerUser = sessionsPerUser
        self.apple = apple
    }
}

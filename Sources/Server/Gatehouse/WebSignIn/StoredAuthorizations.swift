/// A sign-in that has sent the browser to a provider's page, until the browser comes back.
package struct StoredAuthorizationRequest: Sendable, Equatable {
    /// How long the user may take at the provider.
    package static let lifetime = Duration.seconds(600)
    /// How many are kept, or a few more. Beyond it, the oldest are removed.
    package static let most = 50_000

    /// SHA-256 of the state that the provider sends back.
    package var stateHash: [UInt8]
    package var provider: Provider
    /// SHA-256 of the value in the browser's cookie: another browser cannot go on with this sign-in.
    package var browserHash: [UInt8]
    package var nonce: String
    /// Of Gatehouse's own exchange with the provider.
    package var codeVerifier: String
    /// Where the app expects the browser.
    package var redirectURI: String
    /// Of the app's exchange with Gatehouse. After a dot, the thumbprint of the key to which the app binds its sign-in: an earlier
    /// version that reads it refuses the code, and does not forget the key.
    package var codeChallenge: String
    /// The app's state.
    package var appState: String?
    package var expiresAt: Timestamp

    package init(
        stateHash: [UInt8], provider: Provider, browserHash: [UInt8], nonce: String, codeVerifier: String,
        redirectURI: String, codeChallenge: String, appState: String?, expiresAt: Timestamp
    ) {
        self.stateHash = stateHash
        self.provider = provider
        self.browserHash = browserHash
        self.nonce = nonce
        self.codeVerifier = codeVerifier
        self.redirectURI = redirectURI
        self.codeChallenge = codeChallenge
        self.appState = appState
        self.expiresAt = expiresAt
    }

    /// A request that ends later than any that is made now was made by a clock that was wrong.
    package func isAlive(now: Timestamp) -> Bool { now < expiresAt && expiresAt <= Self.latestExpiry(now: now) }

    package static func latestExpiry(now: Timestamp) -> Timestamp { now + lifetime + ClockAgreement.readinessLimit }
}

/// A code that an app exchanges for tokens.
package struct StoredAuthorizationCode: Sendable, Equatable {
    package static let lifetime = Duration.seconds(60)
    /// How long after its end a second use is recognised. Then maintenance deletes the code, and it is unknown.
    static let memory = Duration.seconds(300)

    /// SHA-256 of the code.
    package var hash: [UInt8]
    package var redirectURI: String
    package var codeChallenge: String
    /// The proven identity, which only the code and this installation's secret decrypt together. Empty after the use.
    package var sealedProof: [UInt8]
    package var expiresAt: Timestamp
    /// The session that the first use has opened.
    package var sessionID: SessionID?

    package init(
        hash: [UInt8], redirectURI: String, codeChallenge: String, sealedProof: [UInt8], expiresAt: Timestamp,
        sessionID: SessionID? = nil
    ) {
        self.hash = hash
        self.redirectURI = redirectURI
        self.codeChallenge = codeChallenge
        self.sealedProof = sealedProof
        self.expiresAt = expiresAt
        self.sessionID = sessionID
    }

    func isAlive(now: Timestamp) -> Bool { now < expiresAt && expiresAt <= Self.latestExpiry(now: now) }

    package static func latestExpiry(now: Timestamp) -> Timestamp { now + lifetime + ClockAgreement.readinessLimit }

    /// The two parts of `codeChallenge`; the second is nil for a code that any client may exchange.
    var demands: (codeChallenge: String, keyThumbprint: String?) {
        let parts = codeChallenge.split(separator: ".", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
        return (parts[0], parts.count == 2 ? parts[1] : nil)
    }
}

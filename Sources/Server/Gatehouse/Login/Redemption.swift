/// The single use of an identity token, and of its nonce if that is a challenge; or of a provider's code.
///
/// It has one of two moments. What a login proves is used in the transaction of the login, so that a login which fails
/// leaves it as it was. What has to be used before it can be verified is spent in a transaction of its own: a provider
/// accepts a code once, so a second exchange, at any node, could only spoil the first one.
package struct Redemption: Sendable, Equatable {
    package let tokenHash: [UInt8]
    package private(set) var nonceHash: [UInt8]?
    package let moment: Timestamp
    /// How long the same token may be redeemed again by a client that did not receive the answer.
    package let grace: Duration
    /// When both the token and its challenge have expired. The redemption may be deleted some time later.
    package private(set) var expiresAt: Timestamp
    /// Whether the token is a code of a sign-in through a browser, which remembers the session that it opens.
    package let isAuthorizationCode: Bool

    package init(
        tokenHash: [UInt8], nonceHash: [UInt8]? = nil, moment: Timestamp, grace: Duration = .zero,
        expiresAt: Timestamp, isAuthorizationCode: Bool = false
    ) {
        self.tokenHash = tokenHash
        self.nonceHash = nonceHash
        self.moment = moment
        self.grace = grace
        self.expiresAt = expiresAt
        self.isAuthorizationCode = isAuthorizationCode
    }
}

extension Refusal {
    /// What proves an identity was used before.
    static func replayed(by provider: Provider) -> Refusal {
        provider.isProvenByCode ? .invalidCode : .identity(.replayed, by: provider)
    }
}

/// Marks codes as used before a provider is asked about them.
package protocol OneTimeCodes: Sendable {
    func spend(_ code: String, of provider: Provider, now: Timestamp) throws(Refusal)
}

extension AuthService: OneTimeCodes {
    package func spend(_ code: String, of provider: Provider, now: Timestamp) throws(Refusal) {
        let hash = tokens.hash("code \(provider.rawValue) \(code)")
        try spend(
            Redemption(tokenHash: hash, moment: now, expiresAt: now + Redemption.codeLifetime), by: provider)
    }

    func spend(_ redemption: Redemption, by provider: Provider) throws(Refusal) {
        guard try store.spend(redemption) else { throw .identity(.replayed, by: provider) }
    }
}

extension Redemption {
    /// With the challenge that was the nonce of the login; nil for none.
    func with(_ challenge: (hash: [UInt8], expiresAt: Timestamp)?) -> Redemption {
        var redemption = self
        redemption.nonceHash = challenge?.hash
        redemption.expiresAt = max(expiresAt, challenge?.expiresAt ?? moment)
        return redemption
    }

    /// How long the use of a code is remembered: longer than providers accept one.
    static let codeLifetime = Duration.seconds(3600)

    /// The first redemption of a token or of a nonce, as the store keeps it.
    package struct Earlier: Sendable {
        package let tokenHash: [UInt8]
        let moment: Timestamp
        /// Whether the grace has ended early: the session or the account has.
        let isClosed: Bool

        package init(tokenHash: [UInt8], moment: Timestamp, isClosed: Bool) {
            (self.tokenHash, self.moment, self.isClosed) = (tokenHash, moment, isClosed)
        }
    }

    package enum Use: Sendable, Equatable {
        case first
        /// The same token again, within the grace, by a client that did not receive the answer.
        case repeated
        /// The token was redeemed before.
        case replayed
        /// The nonce was redeemed before, with another token.
        case usedNonce
    }

    /// Decides which use this is, from the first redemption of the token and of the nonce.
    package func use(token: Earlier?, nonce: Earlier?) -> Use {
        if let nonce, nonce.tokenHash != tokenHash { return .usedNonce }
        guard let token else { return .first }
        // Without a grace, nothing may be repeated, not even in the same millisecond.
        let isInTime =
            !token.isClosed && grace > .zero && moment <= token.moment + grace
            // A time in the future was written by a wrong clock. It must not make the grace longer.
            && token.moment <= moment + ClockAgreement.tolerance
        return isInTime ? .repeated : .replayed
    }
}

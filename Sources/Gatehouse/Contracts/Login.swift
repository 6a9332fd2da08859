/// A login about to be recorded: who has been proven, and what is used up by believing it.
package struct Login: Sendable {
    package let identity: Identity
    /// Fills an empty nickname.
    package let nickname: String?
    package let redemption: Redemption?
    package let moment: Timestamp
    /// By which the identity of a removed disabled user is recognised.
    package let identityHashes: [[UInt8]]

    package init(
        identity: Identity, nickname: String?, redemption: Redemption? = nil, moment: Timestamp,
        identityHashes: [[UInt8]] = []
    ) {
        self.identity = identity
        self.nickname = nickname
        self.redemption = redemption
        self.moment = moment
        self.identityHashes = identityHashes
    }
}

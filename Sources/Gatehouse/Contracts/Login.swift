/// A login about to be recorded: who has been proven, and what is used up by believing it.
package struct Login: Sendable {
    package let identity: Identity
    /// Fills an empty nickname.
    package let nickname: String?
    package let redemption: Redemption?

    package init(identity: Identity, nickname: String?, redemption: Redemption? = nil) {
        self.identity = identity
        self.nickname = nickname
        self.redemption = redemption
    }
}

/// An identity token about to be used up, and with it the nonce that it was made for, if that was one of ours.
package struct Redemption: Sendable, Equatable {
    package let tokenHash: [UInt8]
    package let nonceHash: [UInt8]?
    package let moment: Timestamp
    /// How long the same token may come again, by whoever missed the answer.
    package let grace: Duration
    /// When the token is worth nothing by itself, and need not be remembered.
    package let expiresAt: Timestamp

    package init(
        tokenHash: [UInt8], nonceHash: [UInt8]?, moment: Timestamp, grace: Duration, expiresAt: Timestamp
    ) {
        self.tokenHash = tokenHash
        self.nonceHash = nonceHash
        self.moment = moment
        self.grace = grace
        self.expiresAt = expiresAt
    }
}

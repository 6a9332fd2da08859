/// The single use of an identity token, and of its nonce if that is a challenge.
package struct Redemption: Sendable, Equatable {
    package let tokenHash: [UInt8]
    package let nonceHash: [UInt8]?
    package let moment: Timestamp
    /// How long the same token may be redeemed again by a client that did not receive the answer.
    package let grace: Duration
    /// When the token expires. The redemption may be deleted some time later.
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

/// A nonce of ours, on its way through the app and Apple back to us.
package struct Challenge: Sendable, Equatable {
    package let nonce: String
    package let expiresAt: Timestamp

    package init(nonce: String, expiresAt: Timestamp) {
        self.nonce = nonce
        self.expiresAt = expiresAt
    }
}

/// What an access token says.
package struct AccessClaims: Sendable, Equatable {
    package let caller: Caller
    package let clientID: String
    package let tokenID: String
    package let issuedAt: Timestamp
    package let expiresAt: Timestamp

    package init(caller: Caller, clientID: String, tokenID: String, issuedAt: Timestamp, expiresAt: Timestamp) {
        self.caller = caller
        self.clientID = clientID
        self.tokenID = tokenID
        self.issuedAt = issuedAt
        self.expiresAt = expiresAt
    }
}

/// Apple's endpoints for developers: they are asked off the request path, and may be slow or down.
package protocol AppleServer: Sendable {
    /// Exchanges an authorization code for a refresh token of Apple's.
    func exchange(code: String, for clientID: String, now: Timestamp) throws(AppleServerFault) -> AppleGrant

    /// Ends what a refresh token of Apple's stands for. A token that is dead already is no fault.
    func revoke(refreshToken: String, of clientID: String, now: Timestamp) throws(AppleServerFault)
}

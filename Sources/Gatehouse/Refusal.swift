/// Every answer of the domain that is not a yes. The web layer has one table from these to statuses and codes.
package enum Refusal: Error, Sendable, Equatable {
    case appleToken(AppleTokenFault)
    case appleKeysUnavailable
    case devLoginDisabled
    case invalidDevSecret
    case userDisabled
    case insufficientRole

    case noCredentials
    case invalidAccessToken
    case accessTokenExpired
    case sessionRevoked

    case invalidRefreshToken
    case refreshTokenExpired
    case refreshTokenRevoked
    case refreshTokenReused

    /// The request demands a login that is no older than this, or a fresh identity token.
    case loginTooOld(limit: Duration)

    case accountAlreadyLinked
    case lastAccount
    /// There is no such thing, or it is somebody else's.
    case notFound

    case storageUnavailable
}

import Gatehouse
import JSON

/// When a token holds.
struct Lifetime {
    let issuedAt: Timestamp
    let expiresAt: Timestamp
    private let notBefore: Timestamp?

    init(_ claims: JSONObjectReader) throws(AppleTokenFault) {
        guard let issued = claims["iat"]?.moment, let expires = claims["exp"]?.moment else {
            throw .malformed
        }
        issuedAt = issued
        expiresAt = expires
        notBefore = claims["nbf"]?.moment
        guard claims["nbf"] == nil || notBefore != nil else { throw .malformed }
    }

    func check(now: Timestamp, leeway: Duration) throws(AppleTokenFault) {
        guard now < expiresAt + leeway else { throw .expired }
        guard max(issuedAt, notBefore ?? issuedAt) <= now + leeway else { throw .notYetValid }
    }
}

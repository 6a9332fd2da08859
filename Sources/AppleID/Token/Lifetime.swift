import Gatehouse
import JSON

/// When a token holds.
struct Lifetime {
    private let issuedAt: Timestamp
    private let notBefore: Timestamp?
    private let expiresAt: Timestamp

    init(_ claims: JSONObject) throws(AppleTokenFault) {
        guard let issued = Self.moment(claims["iat"]), let expires = Self.moment(claims["exp"]) else {
            throw .malformed
        }
        issuedAt = issued
        expiresAt = expires
        notBefore = Self.moment(claims["nbf"])
        guard claims["nbf"] == nil || notBefore != nil else { throw .malformed }
    }

    func check(now: Timestamp, leeway: Duration) throws(AppleTokenFault) {
        guard now < expiresAt + leeway else { throw .expired }
        guard max(issuedAt, notBefore ?? issuedAt) <= now + leeway else { throw .notYetValid }
    }

    /// A NumericDate: seconds, perhaps with a fraction.
    private static func moment(_ claim: JSONValue?) -> Timestamp? {
        if let seconds = claim?.integer { return Timestamp(seconds: seconds) }
        guard let seconds = claim?.number, seconds.isFinite, abs(seconds) < 1e15 else { return nil }
        return Timestamp(milliseconds: Int64(seconds * 1000))
    }
}

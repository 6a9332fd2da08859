import Gatehouse
import JSON

/// The time in which a token is valid.
struct TokenLifetime {
    let issuedAt: Timestamp
    let expiresAt: Timestamp
    private let notBefore: Timestamp?

    /// No OpenID provider issues an identity token for longer. A larger `exp` is a mistake, such as milliseconds.
    private static let longest = Duration.seconds(24 * 3600)

    init(_ claims: JSONObjectReader) throws(IdentityFault) {
        issuedAt = try Self.time("iat", in: claims)
        expiresAt = try Self.time("exp", in: claims)
        notBefore = claims["nbf"] == nil ? nil : try Self.time("nbf", in: claims)
    }

    private static func time(_ name: String, in claims: JSONObjectReader) throws(IdentityFault) -> Timestamp {
        guard let time = claims[name]?.time else { throw .malformed(.unusable(.claims, member: name)) }
        return time
    }

    func check(now: Timestamp, by rules: TokenRules) throws(IdentityFault) {
        let leeway = rules.leeway
        guard now < expiresAt + leeway else { throw .expired }
        guard max(issuedAt, notBefore ?? issuedAt) <= now + leeway else { throw .notYetValid }
        guard let maximumAge = rules.maximumAge else { return }
        guard expiresAt <= issuedAt + Self.longest + leeway else {
            throw .malformed(.unusable(.claims, member: "exp"))
        }
        guard now < issuedAt + maximumAge + leeway else { throw .expired }
    }
}

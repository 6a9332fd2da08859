/// One thing that is looked at in an identity token; in the order in which it happens.
package enum IdentityTokenCheck: String, Sendable, CaseIterable {
    case form
    case algorithm
    case keyID = "key id"
    case claims
    case subject
    case issuer
    case audience
    case times
    case key
    case signature
    case nonce
    case code
    case user

    /// Hears of every check that a token passes, as soon as it has.
    package typealias Observer = (IdentityTokenCheck) -> Void
}

import Gatehouse
import JSON

extension IdentityTokenPolicy {
    /// Adds what only Apple's tokens say about a user.
    static func addClaims(_ claims: JSONObjectReader, to assertion: inout IdentityAssertion) {
        assertion.emailVerified = claims["email_verified"]?.flag
        assertion.isPrivateEmail = claims["is_private_email"]?.flag
        assertion.realUserStatus =
            claims["real_user_status"]?.integer.flatMap { (0...2).contains($0) ? Int($0) : nil }
        assertion.transferSubject = claims["transfer_sub"]?.identifier
    }
}

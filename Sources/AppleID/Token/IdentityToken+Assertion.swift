import Gatehouse
import JSON

extension IdentityToken {
    /// What the token says of the person.
    var assertion: AppleAssertion {
        let status = claims["real_user_status"]?.integer.flatMap { (0...2).contains($0) ? Int($0) : nil }
        return AppleAssertion(
            subject: subject, audience: audience, email: email, emailVerified: claims["email_verified"]?.flag,
            isPrivateEmail: claims["is_private_email"]?.flag, realUserStatus: status)
    }

    /// Missing and empty come to the same: some accounts have none.
    private var email: String? {
        guard let email = claims["email"]?.string, !email.isEmpty, email.utf8.count <= 254 else { return nil }
        return email
    }
}

import Gatehouse
import JSON

extension TokenRules {
    /// Which claims of a token say who the user is, and how much they are worth.
    package enum UserClaims: Sendable, Equatable {
        case apple
        case openID(EmailRule)
    }

    /// When an OpenID provider's address counts as verified.
    package enum EmailRule: Sendable, Equatable {
        /// When `email_verified` is true.
        case claim
        /// Google vouches for addresses of its own and of its hosted domains. Any other mailbox may since belong to another
        /// person.
        case google
    }
}

extension TokenRules.UserClaims {
    /// In bytes. For OpenID providers, OpenID Connect Core 1.0 says so (section 2).
    package var longestSubject: Int { self == .apple ? 256 : 255 }

    /// Whether a token can say that its device does not support nonces.
    var canDenyNonces: Bool { self == .apple }

    /// The usable `sub` of a token.
    func subject(in claims: JSONObjectReader) -> String? {
        switch self {
        case .apple: claims["sub"]?.identifier
        case .openID: claims["sub"]?.plainText(atMost: longestSubject)
        }
    }

    /// Adds what the tokens of this kind of provider say about a user besides the subject and the address.
    func add(_ claims: JSONObjectReader, to proven: inout ProvenIdentity) {
        switch self {
        case .apple:
            proven.identity.emailVerified = claims["email_verified"]?.flag
            proven.identity.isPrivateEmail = claims["is_private_email"]?.flag
            proven.identity.realUserStatus =
                claims["real_user_status"]?.integer.flatMap { (0...2).contains($0) ? Int($0) : nil }
            proven.identity.transferSubject = claims["transfer_sub"]?.identifier
        case .openID(let rule):
            proven.nickname = claims["name"]?.plainText(atMost: Self.longestNickname)
            proven.unsentNonce = claims["nonce"]?.string
            if let email = proven.identity.email { proven.identity.emailVerified = rule.isVerified(email, claims) }
        }
    }

    private static let longestNickname = 200
}

extension TokenRules.EmailRule {
    fileprivate func isVerified(_ email: String, _ claims: JSONObjectReader) -> Bool {
        let isConfirmed = claims["email_verified"]?.flag == true
        switch self {
        case .claim: return isConfirmed
        case .google: return Self.isOfGmail(email) || isConfirmed && claims["hd"]?.plainText(atMost: 254) != nil
        }
    }

    /// Compares bytes: `hasSuffix` would also accept texts that are only canonically equivalent.
    private static func isOfGmail(_ email: String) -> Bool {
        let domain = "@gmail.com".utf8
        return email.utf8.count > domain.count && email.lowercased().utf8.suffix(domain.count).elementsEqual(domain)
    }
}

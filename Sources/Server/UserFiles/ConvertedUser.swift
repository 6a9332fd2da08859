package import Gatehouse
import Text

/// A user of another product, as Gatehouse takes them.
package struct ConvertedUser: Sendable {
    package let reference: String?
    /// Nil for a user who has no way to sign in at Gatehouse, or who is to be left out.
    package let line: UserLine?
    /// The ways to sign in that the user loses.
    package let losses: [LostWay]

    package var outcome: Outcome {
        if line != nil { return losses.isEmpty ? .kept : .keptPartly }
        return losses == [.deleted] ? .skipped : .lost
    }

    package enum Outcome: String, Sendable, CaseIterable {
        case kept = "kept"
        /// The user loses a way to sign in, and has another one.
        case keptPartly = "kept_partly"
        case lost = "lost"
        /// The user was deleted there.
        case skipped = "skipped"
    }
}

/// Why a way to sign in cannot be taken.
package enum LostWay: Sendable, Hashable {
    /// Passwords are not taken. A verified address gets codes instead, but this one was never verified: the user who
    /// signed up with it need not be its owner.
    case passwordWithoutVerifiedEmail
    case anonymous
    case phoneNotVerified
    /// The number or address has no form that Gatehouse accepts.
    case invalidPhone
    case invalidEmail
    /// A provider for which no name is given.
    case provider(String)
    /// Of a single sign-on by SAML.
    case sso
    /// The file has no way to sign in for this user.
    case none
    case deleted

    /// For reports: one word, and the name of the provider.
    package var code: String {
        switch self {
        case .passwordWithoutVerifiedEmail: "password_without_verified_email"
        case .anonymous: "anonymous"
        case .phoneNotVerified: "phone_not_verified"
        case .invalidPhone: "invalid_phone"
        case .invalidEmail: "invalid_email"
        case .provider(let name): "provider " + name
        case .sso: "sso"
        case .none: "none"
        case .deleted: "deleted"
        }
    }

    package var explanation: String {
        switch self {
        case .passwordWithoutVerifiedEmail: "a password, and an email address that was never verified"
        case .anonymous: "an anonymous user"
        case .phoneNotVerified: "a phone number that was never verified"
        case .invalidPhone: "a phone number that Gatehouse does not accept"
        case .invalidEmail: "an email address that Gatehouse does not accept for codes"
        case .provider(let name): "an account at \(name)"
        case .sso: "a single sign-on by SAML"
        case .none: "no way to sign in in the file"
        case .deleted: "deleted there"
        }
    }
}

/// The names at Gatehouse of providers in files of other products.
package struct ProviderNames: Sendable {
    private let names: [String: String]

    /// - Parameters:
    ///   - known: those that need no option.
    ///   - given: by the operator. They come first.
    package init(known: [String: String], given: [String: String]) {
        names = known.merging(given) { $1 }
    }

    func name(of provider: String) -> String? { names[provider] }

    /// For reports: a file may have any text there.
    static func reported(_ provider: String) -> String {
        let isPlain =
            (1...64).contains(provider.utf8.count)
            && provider.utf8.allSatisfy { $0.isLowercaseLetter || $0.isDigit || ".:_-".utf8.contains($0) }
        return isPlain ? provider : "of another name"
    }
}

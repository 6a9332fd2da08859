import Gatehouse
import JSON

extension OpenIDPolicy {
    /// Throws for the first claim that does not have its required value.
    func checkRequiredClaims(in claims: JSONObjectReader) throws(IdentityFault) {
        for claim in required {
            guard claims[claim.name]?.text?.isIdentical(to: claim.value) == true else { throw .claim(claim.name) }
        }
    }

    /// Adds what the tokens of OpenID providers say about a user.
    func addClaims(_ claims: JSONObjectReader, to assertion: inout IdentityAssertion) {
        assertion.nickname = claims["name"]?.plainText(atMost: Self.longestNickname)
        assertion.unsentNonce = claims["nonce"]?.string
        if let email = assertion.email { assertion.emailVerified = isVerified(email, claims) }
    }

    private static let longestNickname = 200

    private func isVerified(_ email: String, _ claims: JSONObjectReader) -> Bool {
        let isConfirmed = claims["email_verified"]?.flag == true
        switch emailRule {
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

extension JSONValue {
    /// The value as a setting writes it: a text, `true`, `false` or a decimal number.
    fileprivate var text: String? {
        switch self {
        case .string(let text): text
        case .bool, .integer, .number: description
        case .null, .array, .object: nil
        }
    }
}

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

/// Values of claims in the forms in which providers write them.
extension JSONValue {
    /// The identifier of a user or a notification; nil for a text that cannot be one.
    var identifier: String? { shortText(atMost: 256) }

    /// An email address. Nil also for an empty text, which Apple sends for an account without an address.
    var email: String? { shortText(atMost: 254) }

    /// Nil for a text with control characters. PostgreSQL cannot store one of them, NUL.
    private func shortText(atMost limit: Int) -> String? {
        guard let text = string, (1...limit).contains(text.utf8.count), !text.hasControlCharacters else { return nil }
        return text
    }

    /// A text that is safe to store and to show, without control characters of any kind.
    func plainText(atMost limit: Int) -> String? {
        shortText(atMost: limit).flatMap { $0.unicodeScalars.contains(where: \.isControlCharacter) ? nil : $0 }
    }

    /// Apple and other providers send flags as booleans or as strings.
    var flag: Bool? {
        switch self {
        case .bool(let value): value
        case .string("true"): true
        case .string("false"): false
        default: nil
        }
    }

    /// A NumericDate (RFC 7519): seconds, which may have a fraction.
    var time: Timestamp? {
        if let seconds = integer { return Timestamp(seconds: seconds) }
        guard let seconds = number, seconds.isFinite, abs(seconds) < 1e15 else { return nil }
        return Timestamp(milliseconds: Int64(seconds * 1000))
    }

    /// A time in seconds, as Apple documents it, or in milliseconds, as Apple's servers send it.
    var timeInSecondsOrMilliseconds: Timestamp? {
        guard let number, number >= Self.firstMilliseconds else { return time }
        return integer.map(Timestamp.init(milliseconds:))
    }

    /// Numbers from here on are milliseconds: as seconds this is in the year 5138, as milliseconds in 1973.
    private static let firstMilliseconds = 1e11
}

extension String {
    /// Reads every byte: the compiler vectorises a loop over a span if the loop has no early exit.
    fileprivate var hasControlCharacters: Bool {
        let bytes = utf8.span
        var found: UInt8 = 0
        for index in bytes.indices { found |= bytes[index] < 0x20 ? 1 : 0 }
        return found != 0
    }
}

extension Unicode.Scalar {
    /// C0, C1 and DEL, and the line and paragraph separators.
    fileprivate var isControlCharacter: Bool {
        value < 0x20 || (0x7F...0x9F).contains(value) || value == 0x2028 || value == 0x2029
    }
}

/// How a session was signed in, where RFC 8176 has words for it. They are `amr` of its access tokens, and with blanks between
/// them a column of the session. A login by another provider has none: what the provider asked of its user is not known.
package enum LoginMethod: String, Sendable, CaseIterable {
    /// By a code that a text message brought.
    case textMessage = "otp sms"
    /// By a code that a mail brought.
    case mail = "otp"
    /// By a passkey that has not asked who its user is.
    case passkey = "pop user"
    /// By a passkey that has: two factors. Whether its key is in hardware is not known, as passkeys are synchronised.
    case verifiedPasskey = "pop user mfa"

    /// `amr`.
    package var references: [String] { rawValue.split(separator: " ").map(String.init) }

    package var strength: LoginStrength { self == .verifiedPasskey ? .twoFactors : .single }
}

/// How much a login proves: `acr` of access tokens. Each includes what the ones before it prove.
package enum LoginStrength: String, Sendable, CaseIterable, Comparable {
    case single = "urn:gatehouse:1"
    /// A passkey with user verification.
    case twoFactors = "urn:gatehouse:2"

    package static func < (left: Self, right: Self) -> Bool { left == .single && right != .single }
}

/// The check that failed. Servers may add values.
///
/// With ``ProblemCode/invalidAppleToken`` and ``ProblemCode/invalidIdentity``, a check of what the app sent for a login;
/// with ``ProblemCode/accountAlreadyLinked``, ``identity`` or ``provider``.
public struct ProblemReason: RawRepresentable, Codable, Hashable, Sendable {
    public let rawValue: String
    public init(rawValue: String) { self.rawValue = rawValue }

    public static let malformed = ProblemReason(rawValue: "malformed")
    public static let algorithm = ProblemReason(rawValue: "algorithm")
    public static let unknownKey = ProblemReason(rawValue: "unknown_key")
    public static let signature = ProblemReason(rawValue: "signature")
    public static let issuer = ProblemReason(rawValue: "issuer")
    public static let audience = ProblemReason(rawValue: "audience")
    public static let expired = ProblemReason(rawValue: "expired")
    public static let notYetValid = ProblemReason(rawValue: "not_yet_valid")
    public static let nonce = ProblemReason(rawValue: "nonce")
    public static let code = ProblemReason(rawValue: "code")
    public static let user = ProblemReason(rawValue: "user")
    public static let replayed = ProblemReason(rawValue: "replayed")
    /// The credential was issued to another app than the operator has configured.
    public static let client = ProblemReason(rawValue: "client")
    /// The account is linked to another user.
    public static let identity = ProblemReason(rawValue: "identity")
    /// The user has another account at this provider.
    public static let provider = ProblemReason(rawValue: "provider")
}

/// Its name before other providers than Apple gave reasons.
public typealias AppleTokenReason = ProblemReason

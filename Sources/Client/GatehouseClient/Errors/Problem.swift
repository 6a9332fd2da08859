import Foundation

/// An error that the server described (RFC 9457). It never holds a token.
public struct Problem: Hashable, Sendable {
    public struct FieldError: Codable, Hashable, Sendable {
        public let field: String
        public let message: String

        public init(field: String, message: String) { (self.field, self.message) = (field, message) }
    }

    public let status: Int
    public let code: ProblemCode
    /// What is wrong and what to do, for developers.
    public let detail: String
    /// The id of the request in the server's logs.
    public let requestId: String?
    /// The check that failed. See ``proofReason`` for ``ProblemCode/invalidDPoPProof``.
    public let reason: ProblemReason?
    /// With status 400: the invalid members of the body.
    public let errors: [FieldError]
    /// How long the server asks to wait.
    public let retryAfter: Duration?

    /// For previews and tests of an app.
    public init(
        status: Int, code: ProblemCode, detail: String = "", requestId: String? = nil, reason: ProblemReason? = nil,
        errors: [FieldError] = [], retryAfter: Duration? = nil
    ) {
        (self.status, self.code, self.detail, self.requestId) = (status, code, detail, requestId)
        (self.reason, self.errors, self.retryAfter) = (reason, errors, retryAfter)
    }
}

extension Problem {
    private struct Document: Decodable {
        let status: Int
        let code: ProblemCode
        let detail: String?
        let title: String?
        let requestId: String?
        let reason: ProblemReason?
        let errors: [FieldError]?
    }

    /// Nil unless the body is a problem document of this status with a code. The document of a proxy may have no code.
    init?(_ body: Data, status: Int, retryAfter: Duration?) {
        guard let document = try? JSONDecoder().decode(Document.self, from: body), document.status == status else {
            return nil
        }
        self.init(
            status: status, code: document.code, detail: document.detail ?? document.title ?? "",
            requestId: document.requestId, reason: document.reason, errors: document.errors ?? [],
            retryAfter: retryAfter)
    }
}

extension Problem {
    /// The same problem, with another sentence on what to do.
    func adding(_ sentence: String) -> Problem {
        Problem(
            status: status, code: code, detail: detail.isEmpty ? sentence : "\(detail) \(sentence)",
            requestId: requestId, reason: reason, errors: errors, retryAfter: retryAfter)
    }
}

extension Problem: CustomStringConvertible {
    public var description: String {
        let check = reason.map { " (\($0.rawValue))" } ?? ""
        // The server's own detail already contains these messages.
        let others = errors.filter { !detail.contains($0.message) }
        let fields = others.map { " \($0.field): \($0.message)" }.joined()
        return "\(status) \(code)\(check): \(detail)\(fields)" + (requestId.map { " Request \($0)." } ?? "")
    }
}

/// The check that failed. Servers may add values.
///
/// With ``ProblemCode/invalidAppleToken``, ``ProblemCode/invalidIdentity`` and ``ProblemCode/invalidPasskey``, a check of what the app sent for a login;
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
    // Of a passkey
    public static let unknown = ProblemReason(rawValue: "unknown")
    public static let challenge = ProblemReason(rawValue: "challenge")
    public static let origin = ProblemReason(rawValue: "origin")
    public static let relyingParty = ProblemReason(rawValue: "rp")
    public static let userVerification = ProblemReason(rawValue: "user_verification")
    public static let counter = ProblemReason(rawValue: "counter")
}

/// Its name before other providers than Apple gave reasons.
public typealias AppleTokenReason = ProblemReason

import JOSE
import OpenSSL

/// The secrets of one receiver, usually one. While a secret is replaced there are two, and each message is signed with both.
package struct WebhookSecrets: Sendable, CustomStringConvertible, CustomReflectable {
    private let secrets: [WebhookSecret]

    /// - Parameter text: secrets with white space between them.
    package init(_ text: String) throws(WebhookSecretFault) {
        var secrets: [WebhookSecret] = []
        for part in text.split(whereSeparator: \.isWhitespace) { secrets.append(try WebhookSecret(part)) }
        guard !secrets.isEmpty else { throw .missing }
        self.secrets = secrets
    }

    package var count: Int { secrets.count }

    /// Whether one of these secrets is also one of the others.
    package func overlap(_ others: WebhookSecrets) -> Bool {
        secrets.contains { secret in others.secrets.contains { $0.isValid(secret.tag(of: []), for: []) } }
    }

    package var description: String { "\(count) webhook secrets" }

    /// Without the keys, which a test or a log would print.
    package var customMirror: Mirror { Mirror(self, children: []) }
}

// MARK: - Signing

extension WebhookSecrets {
    /// The header fields that identify and sign a message.
    ///
    /// - Parameters:
    ///   - id: names the message; without a dot, which separates the signed parts. The receiver ignores a repeated one.
    ///   - timestamp: seconds since 1970.
    package func headers(id: String, timestamp: Int64, body: [UInt8]) -> [(String, String)] {
        let content = Self.content(id: id, timestamp: "\(timestamp)", body: body)
        let signatures = secrets.map { SignatureText(tag: $0.tag(of: content)).text }
        return [
            (WebhookHeader.id, id), (WebhookHeader.timestamp, "\(timestamp)"),
            (WebhookHeader.signature, signatures.joined(separator: " ")),
        ]
    }

    private static func content(id: String, timestamp: String, body: [UInt8]) -> [UInt8] {
        Array("\(id).\(timestamp).".utf8) + body
    }
}

// MARK: - Verifying

extension WebhookSecrets {
    /// The longest difference between the time of a message and the clock of its receiver, in seconds.
    package static let tolerance: Int64 = 300

    /// Verifies a message as its receiver has to.
    ///
    /// - Parameter header: the value of a header field, by its name in lower case.
    package func verify(
        header: (String) -> String?, body: [UInt8], now: Int64
    ) throws(WebhookFault) {
        guard let id = header(WebhookHeader.id), let timestamp = header(WebhookHeader.timestamp),
            let signatures = header(WebhookHeader.signature), !id.isEmpty
        else { throw .missingHeader }
        guard let sent = Int64(timestamp) else { throw .timestamp }
        // A message of another time may be a copy that an attacker sends again.
        guard (now - Self.tolerance...now + Self.tolerance).contains(sent) else { throw .tooOldOrNew }
        let content = Self.content(id: id, timestamp: timestamp, body: body)
        let tags = signatures.split(separator: " ").compactMap(SignatureText.init).map(\.tag)
        guard tags.contains(where: { tag in secrets.contains { $0.isValid(tag, for: content) } }) else {
            throw .signature
        }
    }
}

/// Why a message is not accepted.
package enum WebhookFault: Error, Sendable, Equatable {
    case missingHeader
    case timestamp
    case tooOldOrNew
    case signature
}

/// A secret that the sender and the receiver of webhooks share, written `whsec_` and base64.
struct WebhookSecret: Sendable {
    static let prefix = "whsec_"
    /// The number of random bytes that the specification allows.
    static let byteCounts = 24...64

    private let key: HMACSHA256Key

    init(_ text: some StringProtocol) throws(WebhookSecretFault) {
        guard text.hasPrefix(Self.prefix) else { throw .prefix }
        guard let bytes = Base64.decode(String(text.dropFirst(Self.prefix.count))) else { throw .encoding }
        guard Self.byteCounts.contains(bytes.count) else { throw .length(bytes.count) }
        key = HMACSHA256Key(bytes)
    }

    func tag(of content: [UInt8]) -> [UInt8] { key.authenticate(content) }

    func isValid(_ tag: [UInt8], for content: [UInt8]) -> Bool { key.isValid(tag: tag, for: content) }
}

/// Why a text is not a secret. The explanation contains nothing of the text.
package enum WebhookSecretFault: Error, Sendable, Equatable, CustomStringConvertible {
    case missing
    case prefix
    case encoding
    /// The number of bytes.
    case length(Int)

    package var description: String {
        switch self {
        case .missing: "has no secret"
        case .prefix: "must begin with \(WebhookSecret.prefix)"
        case .encoding: "must be base64 with padding after \(WebhookSecret.prefix)"
        case .length(let count):
            "has \(count) bytes after decoding: it needs \(WebhookSecret.byteCounts.lowerBound) to "
                + "\(WebhookSecret.byteCounts.upperBound)"
        }
    }
}

/// The names of the header fields of a signed message.
package enum WebhookHeader {
    package static let id = "webhook-id"
    package static let timestamp = "webhook-timestamp"
    package static let signature = "webhook-signature"
}

/// One of the signatures of a message: `v1`, a comma, and an HMAC-SHA-256 in base64.
struct SignatureText {
    private static let version = "v1,"

    let tag: [UInt8]

    init(tag: [UInt8]) {
        self.tag = tag
    }

    /// Nil for another version, such as one with public keys, and for text that is not base64.
    init?(_ text: Substring) {
        guard text.hasPrefix(Self.version), let tag = Base64.decode(String(text.dropFirst(Self.version.count))) else {
            return nil
        }
        self.tag = tag
    }

    var text: String { Self.version + Base64.encode(tag) }
}

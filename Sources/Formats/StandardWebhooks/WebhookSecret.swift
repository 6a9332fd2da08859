import JOSE
import OpenSSL

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

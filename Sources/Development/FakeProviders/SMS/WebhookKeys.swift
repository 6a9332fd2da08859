import JOSE
import OpenSSL

/// The keys that a receiver of signed messages accepts: the secrets of the Standard Webhooks specification.
package struct WebhookKeys: Sendable {
    /// The secret of the stand-in, unless another one is set.
    package static let usualSecret = "whsec_Z2F0ZWhvdXNlLWRldmVsb3BtZW50LXNtcy1zZWNyZXQ="

    private static let prefix = "whsec_"
    private static let keyLengths = 24...64

    private let keys: [HMACSHA256Key]

    package static var usual: WebhookKeys {
        guard let keys = WebhookKeys(usualSecret) else { preconditionFailure("the usual secret is not valid") }
        return keys
    }

    /// Nil unless the text consists of one or more secrets, separated by spaces or newlines.
    package init?(_ text: String) {
        var keys: [HMACSHA256Key] = []
        for secret in text.split(whereSeparator: \.isWhitespace) {
            guard secret.hasPrefix(Self.prefix), let key = Base64.decode(String(secret.dropFirst(Self.prefix.count))),
                Self.keyLengths.contains(key.count)
            else { return nil }
            keys.append(HMACSHA256Key(key))
        }
        guard !keys.isEmpty else { return nil }
        self.keys = keys
    }

    func haveSigned(_ content: [UInt8], as tag: [UInt8]) -> Bool {
        keys.contains { $0.isValid(tag: tag, for: content) }
    }
}

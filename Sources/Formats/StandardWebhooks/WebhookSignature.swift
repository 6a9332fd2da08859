import JOSE

/// The names of the header fields of a signed message.
package enum WebhookHeader {
    package static let id = "webhook-id"
    package static let timestamp = "webhook-timestamp"
    package static let signature = "webhook-signature"
}

/// One of the signatures of a message: `v1`, a comma, and an HMAC-SHA-256 in base64.
struct WebhookSignature {
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

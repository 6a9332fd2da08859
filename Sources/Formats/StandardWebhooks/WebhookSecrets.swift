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
        let signatures = secrets.map { WebhookSignature(tag: $0.tag(of: content)).text }
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
        let tags = signatures.split(separator: " ").compactMap(WebhookSignature.init).map(\.tag)
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

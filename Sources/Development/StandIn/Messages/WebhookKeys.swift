import DevelopmentHTTP
import StandardWebhooks

/// The secrets with which the gateway verifies messages.
package struct WebhookKeys: Sendable {
    /// The secret of the stand-in, unless another one is set.
    package static let usualSecret = "whsec_Z2F0ZWhvdXNlLWRldmVsb3BtZW50LXNtcy1zZWNyZXQ="

    private let secrets: WebhookSecrets

    package static var usual: WebhookKeys {
        guard let keys = WebhookKeys(usualSecret) else { preconditionFailure("the usual secret is not valid") }
        return keys
    }

    /// Nil unless the text consists of one or more secrets, separated by spaces or newlines.
    package init?(_ text: String) {
        guard let secrets = try? WebhookSecrets(text) else { return nil }
        self.secrets = secrets
    }

    /// - Returns: the id of the message.
    func verify(_ request: HTTPRequest, now: Int64) throws(HTTPRefusal) -> String {
        do throws(WebhookFault) {
            try secrets.verify(header: { request[$0] }, body: request.body, now: now)
        } catch {
            throw HTTPRefusal("401 Unauthorized", Self.explanation(error))
        }
        return request[WebhookHeader.id] ?? ""
    }

    private static func explanation(_ fault: WebhookFault) -> String {
        switch fault {
        case .missingHeader: "webhook-id, webhook-timestamp and webhook-signature are required"
        case .timestamp: "webhook-timestamp: not a number"
        case .tooOldOrNew: "webhook-timestamp: more than \(WebhookSecrets.tolerance) seconds from now"
        case .signature: "webhook-signature: not of this message and a known secret"
        }
    }
}

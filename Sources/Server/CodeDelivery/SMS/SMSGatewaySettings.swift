package import StandardWebhooks

/// Where the operator's SMS gateway is, and the secrets that it verifies messages with.
package struct SMSGatewaySettings: Sendable {
    /// https, or http on this machine.
    package let url: String
    package let secrets: WebhookSecrets
    /// A file of trusted certificates that replaces the system's.
    package var authorities: String?

    package init(url: String, secrets: WebhookSecrets) {
        self.url = url
        self.secrets = secrets
    }
}

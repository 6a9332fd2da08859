package import Gatehouse
package import StandardWebhooks

/// A service of the operator's that is told what happens to users.
package struct EventReceiver: Sendable {
    /// The name of its file without `.conf`; `default` for the one of `EVENTS_URL`.
    package let name: String
    package let url: String
    package let secrets: WebhookSecrets
    /// Nil for all.
    package let types: Set<EventType>?
    /// Whether its host may have an address that the internet does not reach.
    package let permitsPrivateAddresses: Bool
    /// A file of trusted certificates that replaces the system's.
    package var authorities: String?

    package init(
        name: String, url: String, secrets: WebhookSecrets, types: Set<EventType>? = nil,
        permitsPrivateAddresses: Bool = false, authorities: String? = nil
    ) {
        self.name = name
        self.url = url
        self.secrets = secrets
        self.types = types
        self.permitsPrivateAddresses = permitsPrivateAddresses
        self.authorities = authorities
    }

    package var subscription: EventSubscription { EventSubscription(name: name, types: types) }
}

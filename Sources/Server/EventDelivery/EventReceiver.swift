package import Curl
package import Gatehouse
package import StandardWebhooks

/// A service that is told of events.
package struct EventReceiver: Sendable {
    /// The name of its file without `.conf`, or `default`.
    package let name: String
    /// https; or http, which only goes to this machine and to internal networks.
    package let url: String
    package let secrets: WebhookSecrets
    /// Nil for all.
    package let types: Set<EventType>?
    /// Whether the name in the URL may have an address of this machine or of an internal network.
    package let permitsPrivateAddresses: Bool
    /// A file of trusted certificates that replaces the system's.
    package var authorities: String?

    /// The name of the receiver that has no file.
    package static let defaultName = "default"

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
}

extension EventReceiver {
    /// The addresses to which requests may connect. An address in the URL itself is the operator's choice; a name may have
    /// been given a private one by the owner of its domain.
    package var addresses: AddressPolicy {
        guard let url = try? ReceiverURL(url) else { return .publicOnly }
        if !url.isEncrypted || url.namesPrivateHost { return .privateOnly }
        return permitsPrivateAddresses ? .any : .publicOnly
    }

    /// Sends requests to this receiver alone. Of answers that are longer than 64 KiB, the status and the headers count.
    ///
    /// - Parameter timeout: for the whole request.
    package func client(timeout: Duration) -> HTTPClient {
        var client = HTTPClient(timeout: timeout, largestBody: 65_536, authorities: authorities)
        client.cutsLongBodies = true
        client.addresses = addresses
        return client
    }
}

package import Curl
package import Gatehouse
package import StandardWebhooks
import Text

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

/// The address of a receiver: http or https, without a user name, a password and a fragment.
package struct ReceiverURL: Sendable, Equatable {
    package enum Fault: Error, Sendable, Equatable {
        case notAURL
        case hasUserInformation
        case hasFragment
    }

    package let text: String
    package let isEncrypted: Bool
    /// A name, or an address without brackets.
    private let host: String

    package init(_ text: String) throws(Fault) {
        isEncrypted = text.hasPrefix("https://")
        guard isEncrypted || text.hasPrefix("http://"), text.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F }) else {
            throw .notAURL
        }
        let rest = text.dropFirst(isEncrypted ? 8 : 7)
        let authority = rest.prefix { $0 != "/" && $0 != "?" && $0 != "#" }
        if authority.contains("@") { throw .hasUserInformation }
        if rest.contains("#") { throw .hasFragment }
        guard let host = Self.host(of: authority) else { throw .notAURL }
        (self.text, self.host) = (text, host)
    }

    /// Nil if it is not the name or the address of a host with, optionally, a port.
    private static func host(of authority: Substring) -> String? {
        if authority.hasPrefix("[") {
            guard let end = authority.firstIndex(of: "]"), isPort(authority[end...].dropFirst()) else { return nil }
            let address = String(authority[..<end].dropFirst())
            return address.contains(":") && IPAddress(address) != nil ? address : nil
        }
        let name = authority.prefix { $0 != ":" }
        let isName = !name.isEmpty && name.utf8.allSatisfy { $0.isAlphanumeric || "-._".utf8.contains($0) }
        return isName && isPort(authority[name.endIndex...]) ? String(name) : nil
    }

    private static func isPort(_ text: Substring) -> Bool {
        text.isEmpty || text.hasPrefix(":") && UInt16(digits: text.dropFirst()).map { $0 > 0 } == true
    }
}

extension ReceiverURL {
    /// Whether the host is this machine, by an address in digits or as `localhost`.
    package var isOfThisMachine: Bool { Loopback.contains(host) }

    /// Whether the URL itself says that the host is this machine or in an internal network.
    package var namesPrivateHost: Bool { isOfThisMachine || IPAddress(host)?.isPrivate == true }

    /// Whether the host is a public address in digits.
    package var namesPublicAddress: Bool { IPAddress(host)?.isPrivate == false }
}

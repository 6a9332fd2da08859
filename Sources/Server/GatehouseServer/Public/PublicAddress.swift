import Curl
package import Gatehouse
import Text

/// The https origin that clients use: `https://api.example.com`, without a path.
package struct PublicAddress: Sendable, Equatable, CustomStringConvertible {
    /// A name or an address in digits; an IPv6 address without its brackets.
    package let host: String
    package let port: UInt16
    private let isIPv6: Bool

    package init?(_ text: String) {
        guard text.hasPrefix("https://") else { return nil }
        var authority = text.dropFirst(8)
        if authority.hasSuffix("/") { authority.removeLast() }
        guard
            let match = authority.wholeMatch(
                of:
                    /(?:(?<name>[A-Za-z0-9](?:[A-Za-z0-9.-]*[A-Za-z0-9])?)|\[(?<address>[0-9A-Fa-f:.]+)\])(?::(?<port>[0-9]{1,5}))?/
            ), let host = match.name ?? match.address,
            let port = match.port.map({ UInt16(digits: $0) }) ?? 443, port > 0
        else { return nil }
        isIPv6 = match.address != nil
        self.host = host.lowercased()
        self.port = port
    }

    package var description: String {
        "https://" + (isIPv6 ? "[\(host)]" : host) + (port == 443 ? "" : ":\(port)")
    }

    /// Whether clients reach their own machine at this address, as in development.
    package var isOfThisMachine: Bool {
        Loopback.contains(host) || host.hasSuffix(".localhost")
    }
}

/// The value of `PUBLIC_URL`.
package enum PublicAddressSetting: Sendable, Equatable {
    /// Another machine terminates TLS, or there are no clients outside this machine: the server sends no probes.
    case off
    /// Neither the setting nor the file that `gatehouse-nginx` writes has an address.
    case unknown
    case address(PublicAddress)

    init?(_ text: String) {
        if text == "off" {
            self = .off
        } else if let address = PublicAddress(text) {
            self = .address(address)
        } else {
            return nil
        }
    }

    /// The origin that proofs of bound sessions must be about; nil for the one that the request names. Behind a balancer that is
    /// the issuer's. Without a statement of the operator, an issuer need not be where clients come to.
    package func originOfProofs(_ web: WebPolicy) -> String? { self == .unknown ? nil : web.origin }

    package var address: PublicAddress? {
        if case .address(let address) = self { return address }
        return nil
    }
}

internal import Glibc
import Text

/// An IPv4 or IPv6 address.
package struct IPAddress: Sendable, Equatable {
    package enum Version: Sendable {
        case v4, v6
    }

    let version: Version
    /// The bytes as one number. Of an IPv4 address, the lower 32 bits.
    let bits: UInt128

    /// - Parameter bytes: 4 or 16, in network byte order. Nil for any other number.
    package init?(bytes: [UInt8]) {
        switch bytes.count {
        case 4: version = .v4
        case 16: version = .v6
        default: return nil
        }
        bits = bytes.reduce(0) { $0 << 8 | UInt128($1) }
    }

    /// Reads an address in digits. An IPv4 address has four decimal numbers; an IPv6 address has no brackets and no zone.
    package init?(_ text: String) {
        // inet_pton ignores what follows a NUL.
        guard !text.utf8.contains(0) else { return nil }
        var bytes = [UInt8](repeating: 0, count: 16)
        if unsafe inet_pton(AF_INET, text, &bytes) == 1 {
            self.init(bytes: Array(bytes[..<4]))
        } else if unsafe inet_pton(AF_INET6, text, &bytes) == 1 {
            self.init(bytes: bytes)
        } else {
            return nil
        }
    }

    init(v4: UInt32) {
        version = .v4
        bits = UInt128(v4)
    }
}

extension IPAddress {
    /// Whether the address is not globally reachable: it belongs to this machine, to a network of the operator, or to a
    /// purpose that no server on the internet has.
    package var isPrivate: Bool {
        if let embedded { return embedded.isPrivate }
        switch version {
        case .v4: return SpecialPurposeBlock.isPrivate(self, by: SpecialPurposeBlock.v4)
        case .v6:
            // IANA has assigned no other unicast addresses (RFC 4291, section 2.4, and RFC 3587).
            return !SpecialPurposeBlock.globalUnicast.contains(self)
                || SpecialPurposeBlock.isPrivate(self, by: SpecialPurposeBlock.v6)
        }
    }

    /// The IPv4 address to which a connection really goes; nil if this address contains none.
    private var embedded: IPAddress? {
        SpecialPurposeBlock.embedding.first { $0.block.contains(self) }
            .map { IPAddress(v4: UInt32(truncatingIfNeeded: bits >> $0.shift)) }
    }
}

/// The addresses to which a request may connect. libcurl applies it to the address of each connection, after the name has been
/// resolved, so that a name cannot have another address when it is used than when it was checked.
package enum AddressPolicy: Sendable, Equatable {
    case any
    /// Only globally reachable addresses: for URLs by which a request could reach a server of the internal network.
    case publicOnly
    /// Only addresses of this machine and of internal networks: for plain HTTP.
    case privateOnly

    func permits(_ address: IPAddress) -> Bool {
        switch self {
        case .any: true
        case .publicOnly: !address.isPrivate
        case .privateOnly: address.isPrivate
        }
    }
}

/// A block of IANA's special-purpose address registries (RFC 6890), as of 2025.
struct SpecialPurposeBlock: Sendable {
    private let first: IPAddress
    private let prefixLength: Int

    /// - Parameter text: an address and the length of its prefix.
    private init(_ text: StaticString) {
        let parts = "\(text)".split(separator: "/")
        guard parts.count == 2, let first = IPAddress(String(parts[0])), let length = Int(parts[1]) else {
            preconditionFailure("\(text) is not a block of addresses")
        }
        self.first = first
        prefixLength = length
    }

    func contains(_ address: IPAddress) -> Bool {
        guard address.version == first.version else { return false }
        let width = first.version == .v4 ? 32 : 128
        // A shift by all bits gives 0.
        return (address.bits ^ first.bits) >> (width - prefixLength) == 0
    }

    /// Blocks that are not globally reachable, and blocks within them that are.
    struct Rules: Sendable {
        let unreachable: [SpecialPurposeBlock]
        let reachable: [SpecialPurposeBlock]
    }

    static func isPrivate(_ address: IPAddress, by rules: Rules) -> Bool {
        rules.unreachable.contains { $0.contains(address) } && !rules.reachable.contains { $0.contains(address) }
    }
}

extension SpecialPurposeBlock {
    static let v4 = Rules(
        unreachable: [
            // This network, and private networks (RFC 1918).
            Self("0.0.0.0/8"), Self("10.0.0.0/8"), Self("172.16.0.0/12"), Self("192.168.0.0/16"),
            // Carrier-grade NAT, loopback, and link-local, where clouds have their metadata servers.
            Self("100.64.0.0/10"), Self("127.0.0.0/8"), Self("169.254.0.0/16"),
            // Protocol assignments, documentation, relays of 6to4, benchmarks.
            Self("192.0.0.0/24"), Self("192.0.2.0/24"), Self("198.51.100.0/24"), Self("203.0.113.0/24"),
            Self("192.88.99.0/24"), Self("198.18.0.0/15"),
            // Multicast, reserved, and broadcast.
            Self("224.0.0.0/4"), Self("240.0.0.0/4"),
        ],
        // Anycast addresses of PCP and TURN.
        reachable: [Self("192.0.0.9/32"), Self("192.0.0.10/32")])

    static let globalUnicast = Self("2000::/3")

    /// Blocks within `globalUnicast`. Loopback, unique local, link-local, multicast and others are outside it.
    static let v6 = Rules(
        unreachable: [
            // Protocol assignments, among them Teredo; documentation.
            Self("2001::/23"), Self("2001:db8::/32"), Self("3fff::/20"),
        ],
        reachable: [
            // Anycast addresses of PCP, TURN and DNS-SD; AMT, AS112, ORCHIDv2, remote identification of drones.
            Self("2001:1::1/128"), Self("2001:1::2/128"), Self("2001:1::3/128"), Self("2001:3::/32"),
            Self("2001:4:112::/48"), Self("2001:20::/28"), Self("2001:30::/28"),
        ])

    /// Blocks of IPv6 addresses that contain an IPv4 address, and how many bits are behind it: IPv4-mapped addresses, NAT64
    /// and 6to4.
    static let embedding: [(block: SpecialPurposeBlock, shift: Int)] = [
        (Self("::ffff:0:0/96"), 0), (Self("64:ff9b::/96"), 0), (Self("2002::/16"), 80),
    ]
}

/// Addresses of this machine: `localhost`, `::1` and all of 127.0.0.0/8.
package enum Loopback {
    /// Whether the host of an http or https URL is a loopback address.
    package static func isHost(of url: String) -> Bool {
        guard let scheme = ["https://", "http://"].first(where: url.hasPrefix) else { return false }
        let authority = url.dropFirst(scheme.utf8.count).prefix { $0 != "/" && $0 != "?" && $0 != "#" }
        return isHost(ofAuthority: authority)
    }

    /// Whether an authority, `host` or `host:port`, names a loopback address. An IPv6 address is in brackets.
    package static func isHost(ofAuthority authority: Substring) -> Bool {
        if let bracket = authority.lastIndex(of: "]") {
            return authority[...bracket] == "[::1]" && isPort(authority[bracket...].dropFirst())
        }
        let host = authority.prefix { $0 != ":" }
        return contains(host) && isPort(authority[host.endIndex...])
    }

    /// Whether a host name or a numeric address, without brackets, is a loopback address.
    package static func contains(_ host: some StringProtocol) -> Bool {
        host == "localhost" || host == "::1" || isIPv4Loopback(host)
    }

    private static func isIPv4Loopback(_ host: some StringProtocol) -> Bool {
        let octets = host.split(separator: ".", omittingEmptySubsequences: false)
        return octets.count == 4 && octets[0] == "127" && octets.allSatisfy { UInt8(digits: $0) != nil }
    }

    /// Whether the rest of an authority is empty, or a colon and digits.
    private static func isPort(_ text: Substring) -> Bool {
        text.isEmpty || text.hasPrefix(":") && text.dropFirst().utf8.allSatisfy(\.isDigit)
    }
}

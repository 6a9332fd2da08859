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

internal import Glibc

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

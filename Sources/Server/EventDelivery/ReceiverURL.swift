import Curl
import Text

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
        self.text = text
        self.host = host
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

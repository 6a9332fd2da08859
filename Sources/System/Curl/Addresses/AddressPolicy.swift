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

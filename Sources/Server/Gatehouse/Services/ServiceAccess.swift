/// Who may ask about users and tokens beside the users themselves: services of the operator, and users of this machine.
package struct ServiceAccess: Sendable, Equatable {
    package let tokens: [ServiceToken]
    /// The names of users of this machine who need no token, by their ids.
    package let users: [UInt32: String]

    package init(tokens: [ServiceToken] = [], users: [UInt32: String] = [:]) {
        (self.tokens, self.users) = (tokens, users)
    }

    /// The names under which services are logged and counted.
    package var names: Set<String> {
        Set(tokens.map(\.service)).union(users.values.map { Self.name(ofUser: $0) }).union([Self.root])
    }

    /// The user of the process at the other end of Gatehouse's own socket, and whether that process is a web server that has
    /// the request from another process.
    package struct Peer: Sendable {
        package let user: UInt32
        package let forwards: Bool

        package init(user: UInt32, forwards: Bool) {
            (self.user, self.forwards) = (user, forwards)
        }
    }

    /// The name of a peer that needs no token; nil for any other one.
    ///
    /// A web server whose processes are root's forwards the requests of every user of the machine. So root counts only for
    /// requests of its own, unless the operator has named it.
    func name(of peer: Peer) -> String? {
        if let user = users[peer.user] { return Self.name(ofUser: user) }
        return peer.user == 0 && !peer.forwards ? Self.root : nil
    }

    /// No name of a service contains a colon, so a user is never taken for a service.
    private static func name(ofUser user: String) -> String { "user:" + user }

    private static let root = name(ofUser: "root")
}

/// What is kept of a service's token.
package struct ServiceToken: Sendable, Equatable {
    package let service: String
    /// SHA-256 of the token. A token is random, so its hash needs no salt.
    package let hash: [UInt8]

    package init(service: String, hash: [UInt8]) {
        (self.service, self.hash) = (service, hash)
    }
}

extension AuthService {
    /// Refuses a request that is not of a service. A token that is sent decides alone, so that a wrong one is noticed also
    /// where none is needed.
    ///
    /// - Parameter peer: read only if there is no token.
    package func authenticateService(
        _ token: SentAccessToken?, peer: @autoclosure () -> ServiceAccess.Peer?, in context: inout RequestContext
    ) throws(Refusal) {
        if let token {
            guard token.scheme == .bearer, let service = service(of: token.bytes) else { throw .invalidServiceToken }
            context.identify(service: service)
        } else {
            guard let peer = peer(), let name = policy.services.name(of: peer) else { throw .noServiceToken }
            context.identify(service: name)
        }
    }

    /// Every hash is compared, so that the time does not tell which one is similar.
    private func service(of token: ArraySlice<UInt8>) -> String? {
        let hash = tokens.hash(String(decoding: token, as: UTF8.self))
        var found: String?
        for known in policy.services.tokens where platform.equal(known.hash, hash) { found = known.service }
        return found
    }
}

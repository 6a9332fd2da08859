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
        for known in policy.services.tokens where primitives.equal(known.hash, hash) { found = known.service }
        return found
    }
}

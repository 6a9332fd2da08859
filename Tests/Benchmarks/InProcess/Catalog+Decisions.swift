import Gatehouse
import GatehouseServer
import GatehouseTokens

extension Catalog {
    static let decisions = [
        Entry(name: "guard decision") { folder in
            let (service, now) = (try Sample.tokens(), World.real.now())
            let gatekeeper = try Gatekeeper(
                store: Sample.store(in: folder), tokens: service, apple: Apple(folder: folder).signIn,
                hasher: IdentityHashes(), policy: Policy(defaultClientID: Sample.bundleID), world: .real)
            let token = Array(service.accessToken(Sample.accessClaims(issuedAt: now)).utf8)[...]
            return repeating { try gatekeeper.authenticate(token, atLeast: nil) }
        }
    ]
}

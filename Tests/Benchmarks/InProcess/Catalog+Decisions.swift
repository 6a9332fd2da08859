import Gatehouse
import GatehouseServer
import GatehouseTokens

extension Catalog {
    static let decisions = [
        Entry(name: "guard decision") { folder in
            let (service, now) = (try Sample.tokens(), Platform.system.now())
            let auth = try AuthService(
                store: Sample.store(in: folder), tokens: service, apple: AppleFixture(folder: folder).logIn,
                hasher: IdentityHashes(), policy: Sample.policy, platform: .system)
            let token = SentAccessToken(Array(service.accessToken(Sample.accessClaims(issuedAt: now)).utf8)[...])
            return repeating {
                var context = RequestContext(id: "benchmark")
                return try auth.authenticate(token, proof: nil, atLeast: nil, since: nil, in: &context)
            }
        }
    ]
}

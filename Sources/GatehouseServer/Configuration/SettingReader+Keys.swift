import GatehouseTokens
import JOSE

extension SettingReader {
    /// The keys of both kinds of token, those before them included. Nil where any is missing or no good.
    ///
    /// - Parameter others: secrets that serve for something else.
    mutating func keyRings(beside others: [NamedSecret]) -> (access: KeyRing, refresh: KeyRing)? {
        let pair = keyPairs()
        let access = secrets("JWT_ACCESS_SECRET", isRequired: !pair.isSet)
        let refresh = secrets("JWT_REFRESH_SECRET", isRequired: true)
        refuseSharedSecrets(access + refresh + others)
        if pair.isSet { warnOfSecrets(access) }
        // The first of them signs: a key pair where there is one. The secrets beside it are still believed.
        guard let accessRing = ring([pair.current] + access.map(\.key) + pair.previous),
            let refreshRing = ring(refresh.map(\.key))
        else { return nil }
        return (accessRing, refreshRing)
    }

    /// Access tokens of any user can still be made with a secret that signs nothing any more.
    private mutating func warnOfSecrets(_ secrets: [NamedSecret]) {
        for name in Set(secrets.map(\.name)).sorted() {
            warn(
                "\(name) is set beside ACCESS_SIGNING_KEY: it signs nothing, but access tokens signed with it are "
                    + "still accepted; remove it once those issued before the change have expired (ACCESS_TOKEN_TTL)")
        }
    }

    func ring(_ keys: [SigningKey?]) -> KeyRing? {
        let keys = keys.compactMap { $0 }
        return keys.first.map { KeyRing(current: $0, previous: Array(keys.dropFirst())) }
    }
}

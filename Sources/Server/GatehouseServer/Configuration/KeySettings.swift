import GatehouseTokens
import IdentityProviders
import JOSE

/// The keys that sign tokens.
package struct KeySettings: Sendable {
    let signingKey = Setting(
        "ACCESS_SIGNING_KEY", .keyPair, secret: true, "Key that signs access tokens, with ES256 or EdDSA.",
        details: """
            Remove `JWT_ACCESS_SECRET` when the tokens that it signed have expired (`ACCESS_TOKEN_TTL`). Until then tokens \
            signed with it are accepted, and the log and `gatehouse check` warn of it.
            """)
    let signingKeyPrevious = Setting(
        "ACCESS_SIGNING_KEY_PREVIOUS", .previous(.keyPair, .pem), secret: true,
        "Earlier keys, which are accepted and published but do not sign.", details: "One PEM after the other.")
    let accessSecret = Setting(
        "JWT_ACCESS_SECRET", .secret, default: .requiredIf("without `ACCESS_SIGNING_KEY`"), secret: true,
        "Secret that signs access tokens, with HS256.",
        details: "It must differ from every other secret ([keys](#keys)).")
    let accessSecretPrevious = Setting(
        "JWT_ACCESS_SECRET_PREVIOUS", .previous(.secret, .line), secret: true,
        "Earlier secrets of access tokens, which are accepted but do not sign.",
        details: "One on a line, the newest first.")
    let refreshSecret = Setting(
        "JWT_REFRESH_SECRET", .secret, default: .required, secret: true, "Secret that signs refresh tokens.",
        details: "It must differ from every other secret.")
    let refreshSecretPrevious = Setting(
        "JWT_REFRESH_SECRET_PREVIOUS", .previous(.secret, .line), secret: true,
        "Earlier secrets of refresh tokens, which are accepted but do not sign.",
        details: "One on a line, the newest first.")
}

/// A key and its place in the settings.
struct PlacedKey<Key: Sendable> {
    /// The setting without `_PREVIOUS`: its current and previous keys have the same purpose.
    let purpose: String
    let setting: String
    let line: Int?
    let key: Key

    var isPrevious: Bool { setting != purpose }

    /// For messages.
    var place: String { line.map { "\(setting) line \($0)" } ?? setting }
}

extension SettingReader<Settings> {
    // MARK: Keys of tokens

    /// The keys that sign access and refresh tokens. Adds the faults of keys that are missing or shared.
    ///
    /// - Parameter dataKeys: secrets with another purpose.
    mutating func keyRings(besides dataKeys: [PlacedKey<Secret>]) -> (access: KeyRing, refresh: KeyRing)? {
        let pairs = distinct(keys(\.keys.signingKey, \.keys.signingKeyPrevious)) { $0.thumbprint == $1.thumbprint }
        if !isSet(\.keys.signingKey), !isSet(\.keys.accessSecret) { addMissing(Settings.table.keys.accessSecret) }
        let access = distinctSecrets(\.keys.accessSecret, \.keys.accessSecretPrevious)
        let refresh = distinctSecrets(\.keys.refreshSecret, \.keys.refreshSecretPrevious)
        refuseSharedSecrets(access + refresh + dataKeys)
        if isSet(\.keys.signingKey) { warnOfSecretsBesideKey(access) }
        // The first key signs: the key pair if one is set. Tokens that were signed with the others are accepted.
        let current = pairs.filter { !$0.isPrevious }.map(\.key)
        let previous = pairs.filter(\.isPrevious).map(\.key)
        guard let accessRing = Self.ring(current + access.compactMap(\.key.signingKey) + previous),
            let refreshRing = Self.ring(refresh.compactMap(\.key.signingKey))
        else { return nil }
        return (accessRing, refreshRing)
    }

    /// Nil if `JWT_REFRESH_SECRET` is not set.
    mutating func refreshKeys() -> KeyRing? {
        Self.ring(distinctSecrets(\.keys.refreshSecret, \.keys.refreshSecretPrevious).compactMap(\.key.signingKey))
    }

    private static func ring(_ keys: [SigningKey]) -> KeyRing? {
        keys.first.map { KeyRing(current: $0, previous: Array(keys.dropFirst())) }
    }

    /// A person who knows the secret can forge access tokens of any user, although the server no longer signs with it.
    private mutating func warnOfSecretsBesideKey(_ secrets: [PlacedKey<Secret>]) {
        let table = Settings.table
        for name in Set(secrets.map(\.setting)).sorted() {
            warn(
                "\(name) is set beside \(table.keys.signingKey.name): it signs nothing, but access tokens signed with it are "
                    + "still accepted; remove it once those issued before the change have expired "
                    + "(\(table.sessions.accessTokenLifetime.name))")
        }
    }

    // MARK: The data key

    /// The vault of `DATA_KEY`, and its keys.
    ///
    /// - Parameter isRequired: whether the server has data to encrypt.
    mutating func vault(isRequired: Bool) -> (vault: DataVault?, keys: [PlacedKey<Secret>]) {
        let hasPrevious = self[\.apple.dataKeyPrevious].map { !$0.isEmpty } ?? isSet(\.apple.dataKeyPrevious)
        if !isSet(\.apple.dataKey), isRequired || hasPrevious { addMissing(Settings.table.apple.dataKey) }
        let secrets = distinctSecrets(\.apple.dataKey, \.apple.dataKeyPrevious)
        func keys(previous: Bool) -> [DataKey] {
            secrets.filter { $0.isPrevious == previous }.compactMap { $0.key.decoded.flatMap { try? DataKey($0) } }
        }
        let vault = keys(previous: false).first.map { DataVault(key: $0, previous: keys(previous: true)) }
        return (vault, secrets)
    }

    // MARK: Current and previous keys

    private func keys<Key>(
        _ current: KeyPath<Settings, Setting<Key?>>, _ previous: KeyPath<Settings, Setting<[ListedKey<Key>]?>>
    ) -> [PlacedKey<Key>] {
        let (name, previousName) = (Settings.table[keyPath: current].name, Settings.table[keyPath: previous].name)
        return (self[current].map { [PlacedKey(purpose: name, setting: name, line: nil, key: $0)] } ?? [])
            + (self[previous] ?? []).map {
                PlacedKey(purpose: name, setting: previousName, line: $0.line, key: $0.key)
            }
    }

    private mutating func distinctSecrets(
        _ current: KeyPath<Settings, Setting<Secret?>>, _ previous: KeyPath<Settings, Setting<[ListedKey<Secret>]?>>
    ) -> [PlacedKey<Secret>] {
        distinct(keys(current, previous)) { $0.isSame(as: $1) }
    }

    /// Removes duplicates. An interrupted `gatehouse keys rotate` leaves a key in two places. This gives no other party
    /// access, so it is a warning and the server starts.
    private mutating func distinct<Key>(
        _ keys: [PlacedKey<Key>], isSame: (Key, Key) -> Bool
    ) -> [PlacedKey<Key>] {
        keys.reduce(into: []) { distinct, key in
            guard let earlier = distinct.first(where: { isSame($0.key, key.key) }) else { return distinct.append(key) }
            warn(
                "\(key.place) is the same key as \(earlier.place): remove one of the two, or run gatehouse keys rotate again"
            )
        }
    }

    /// A secret with two purposes would let a token of one kind pass as one of the other kind.
    private mutating func refuseSharedSecrets(_ secrets: [PlacedKey<Secret>]) {
        for (index, secret) in secrets.enumerated() {
            for earlier in secrets[..<index]
            where earlier.purpose != secret.purpose && earlier.key.isSame(as: secret.key) {
                let line = secret.line.map { "line \($0) " } ?? ""
                addFault(secret.setting, line + "must differ from \(earlier.place)")
            }
        }
    }
}

import JOSE

extension SettingReader {
    /// A secret and those before it, as far as they are set, each of them once.
    mutating func secrets(_ name: String, isRequired: Bool) -> [NamedSecret] {
        let current = isRequired ? required(name, "at least 32 random bytes sign our tokens") : text(name) ?? ""
        let keys = (current.isEmpty ? [] : [SettingKey(name: name, text: current)])
        let found = (keys + (previousKeys(of: name, .line) ?? [])).map(NamedSecret.init)
        for secret in found { judge(secret, atLeast: VerificationKey.minimumSecretByteCount) }
        return withoutRepetitions(found)
    }

    /// False, with the fault noted, where the secret is easily guessed.
    @discardableResult
    mutating func judge(_ secret: NamedSecret, atLeast byteCount: Int) -> Bool {
        guard let flaw = secret.flaw(atLeast: byteCount) else { return true }
        note(secret.place, flaw)
        return false
    }

    /// Of the secrets of one family, each once. The warning names the other place.
    mutating func withoutRepetitions(_ secrets: [NamedSecret]) -> [NamedSecret] {
        var distinct: [NamedSecret] = []
        for secret in secrets {
            if let earlier = distinct.first(where: { $0.isSame(as: secret) }) {
                warnOfRepetition(secret.place, earlier.place)
            } else {
                distinct.append(secret)
            }
        }
        return distinct
    }

    /// One secret in two families would let a token of one kind pass where another is asked for.
    mutating func refuseSharedSecrets(_ secrets: [NamedSecret]) {
        for (index, secret) in secrets.enumerated() {
            for earlier in secrets[..<index]
            where earlier.place.family != secret.place.family && earlier.isSame(as: secret) {
                note(secret.place, "must differ from \(earlier.place.place)")
            }
        }
    }
}

import JOSE

extension SettingReader {
    /// A secret and the one before it, as far as they are set.
    mutating func secrets(_ name: String, isRequired: Bool) -> [NamedSecret] {
        let current = isRequired ? required(name, "at least 32 random bytes sign our tokens") : text(name) ?? ""
        let previous = text(name + "_PREVIOUS") ?? ""
        let found = [(name, current), (name + "_PREVIOUS", previous)].filter { !$0.1.isEmpty }
            .map { NamedSecret(name: $0, bytes: Array($1.utf8)) }
        for secret in found { judge(secret, atLeast: VerificationKey.minimumSecretByteCount) }
        return found
    }

    /// False, with the fault noted, where the secret is easily guessed.
    @discardableResult
    mutating func judge(_ secret: NamedSecret, atLeast byteCount: Int) -> Bool {
        guard let flaw = secret.flaw(atLeast: byteCount) else { return true }
        note(secret.name, flaw)
        return false
    }

    /// One secret in two places would let a token of one kind pass where another is asked for.
    mutating func refuseSharedSecrets(_ secrets: [NamedSecret]) {
        for (index, secret) in secrets.enumerated() {
            for earlier in secrets[..<index] where earlier.isSame(as: secret) {
                note(secret.name, "must differ from \(earlier.name)")
            }
        }
    }
}

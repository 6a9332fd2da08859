package import JOSE

/// The keys of one kind of token: one that signs, and those before it, which are still believed.
package struct KeyRing: Sendable {
    package let current: SigningKey
    package let previous: [SigningKey]

    package init(current: SigningKey, previous: [SigningKey] = []) {
        self.current = current
        self.previous = previous
    }

    var all: [SigningKey] { [current] + previous }

    /// The key that a token names. There is no default: a token of ours always names its key.
    func key(named keyID: String?) -> VerificationKey? {
        guard let keyID else { return nil }
        return all.first { $0.keyID == keyID }?.verificationKey
    }
}

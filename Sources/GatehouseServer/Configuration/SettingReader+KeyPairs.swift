import JOSE

extension SettingReader {
    /// The key pair that signs access tokens, if any, and the one that did or will. One that is no good is set as well:
    /// nobody is to be told of a second setting that is missing.
    mutating func keyPairs() -> (isSet: Bool, current: SigningKey?, previous: SigningKey?) {
        let (name, earlier) = ("ACCESS_SIGNING_KEY", "ACCESS_SIGNING_KEY_PREVIOUS")
        let (isSet, pem) = attempt(name)
        let current = pem.flatMap { keyPair(name, $0) }
        let previous = text(earlier).flatMap { keyPair(earlier, $0) }
        if let current, previous?.thumbprint == current.thumbprint { note(earlier, "must differ from \(name)") }
        return (isSet, current, previous)
    }

    private mutating func keyPair(_ name: String, _ pem: String) -> SigningKey? {
        if let key = Self.keyPair(pem, for: [.ES256, .EdDSA]) { return key }
        note(name, "must be one private key in PEM (PKCS #8), P-256 or Ed25519, and not encrypted")
        return nil
    }

    /// The one key of a PEM; nil where there is none, or where it is for another algorithm.
    static func keyPair(_ pem: String, for algorithms: [Algorithm], keyID: String? = nil) -> SigningKey? {
        // A key has two such lines. A second key would be passed over in silence.
        guard pem.ranges(of: "PRIVATE KEY-----").count == 2, let key = try? SigningKey(pem: pem, keyID: keyID)
        else { return nil }
        return algorithms.contains(key.algorithm) ? key : nil
    }
}

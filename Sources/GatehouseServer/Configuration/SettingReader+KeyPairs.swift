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
        if let key = Self.keyPair(pem, for: [.ES256, .EdDSA]) {
            judge(pem, of: name)
            return key
        }
        note(name, "must be one private key in PEM (PKCS #8), P-256 or Ed25519, and not encrypted")
        return nil
    }

    /// Notes a key that is easily guessed.
    mutating func judge(_ pem: String, of name: String) {
        guard Self.privateBytes(pem)?.isRepetitive == true else { return }
        let least = [UInt8].leastDistinctSecretBytes
        note(name, "is not random: its private part has fewer than \(least) different bytes; make a new one")
    }

    /// The private part of a P-256 or Ed25519 key: in both, the first octet string of 32 bytes (RFC 5915, RFC 8410).
    private static func privateBytes(_ pem: String) -> [UInt8]? {
        let body = pem.split(whereSeparator: \.isNewline).filter { !$0.hasPrefix("-----") }.joined()
        let plain = body.filter { $0 != "=" }.replacing("+", with: "-").replacing("/", with: "_")
        guard let der = Base64URL.decode(plain) else { return nil }
        let starts = der.indices.dropLast(33)
        return starts.first { der[$0] == 0x04 && der[$0 + 1] == 32 }.map { Array(der[($0 + 2)..<($0 + 34)]) }
    }

    /// The one key of a PEM; nil where there is none, or where it is for another algorithm.
    static func keyPair(_ pem: String, for algorithms: [Algorithm], keyID: String? = nil) -> SigningKey? {
        // A key has two such lines. A second key would be passed over in silence.
        guard pem.ranges(of: "PRIVATE KEY-----").count == 2, let key = try? SigningKey(pem: pem, keyID: keyID)
        else { return nil }
        return algorithms.contains(key.algorithm) ? key : nil
    }
}

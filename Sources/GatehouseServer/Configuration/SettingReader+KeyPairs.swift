import JOSE

extension SettingReader {
    /// The key pair that signs access tokens, if any, and those that did or will, each once. One that is no good is set as
    /// well: a second setting is not reported as missing then.
    mutating func keyPairs() -> (isSet: Bool, current: SigningKey?, previous: [SigningKey]) {
        let name = "ACCESS_SIGNING_KEY"
        let (isSet, pem) = attempt(name)
        let current = pem.map { SettingKey(name: name, text: $0) }
        var found: [(place: SettingKey, key: SigningKey)] = []
        let first = current.flatMap { keyPair($0) }
        if let current, let first { found.append((current, first)) }
        for place in previousKeys(of: name, .pem) ?? [] {
            guard let key = keyPair(place) else { continue }
            if let earlier = found.first(where: { $0.key.thumbprint == key.thumbprint }) {
                warnOfRepetition(place, earlier.place)
            } else {
                found.append((place, key))
            }
        }
        return (isSet, first, found.dropFirst(first == nil ? 0 : 1).map(\.key))
    }

    private mutating func keyPair(_ place: SettingKey) -> SigningKey? {
        let fault = "must be one private key in PEM (PKCS #8), P-256 or Ed25519, and not encrypted"
        return keyPair(place, for: [.ES256, .EdDSA], otherwise: fault)
    }

    /// The one key of a PEM. Notes the fault where there is none, and where the key is easily guessed.
    mutating func keyPair(
        _ place: SettingKey, for algorithms: [Algorithm], keyID: String? = nil, otherwise fault: String
    ) -> SigningKey? {
        let pem = place.text
        guard let key = Self.keyPair(pem, for: algorithms, keyID: keyID), let bytes = Self.privateBytes(pem) else {
            note(place, fault)
            return nil
        }
        if bytes.isRepetitive {
            let least = [UInt8].leastDistinctSecretBytes
            note(place, "is not random: its private part has fewer than \(least) different bytes; make a new one")
        }
        return key
    }

    /// The private part of a P-256 or Ed25519 key: in both, the first octet string of 32 bytes (RFC 5915, RFC 8410).
    private static func privateBytes(_ pem: String) -> [UInt8]? {
        // What stands before the key's first line, or behind its last, is no part of it.
        let lines = pem.ranges(of: "PRIVATE KEY-----")
        guard lines.count == 2 else { return nil }
        let body = pem[lines[0].upperBound..<lines[1].lowerBound].prefix { $0 != "-" }
        let plain = body.filter { $0 != "=" && !$0.isWhitespace }.replacing("+", with: "-").replacing("/", with: "_")
        guard let der = Base64URL.decode(plain) else { return nil }
        let starts = der.indices.dropLast(33)
        return starts.first { der[$0] == 0x04 && der[$0 + 1] == 32 }.map { Array(der[($0 + 2)..<($0 + 34)]) }
    }

    /// The one key of a PEM; nil where there is none, or where it is for another algorithm.
    private static func keyPair(_ pem: String, for algorithms: [Algorithm], keyID: String?) -> SigningKey? {
        // A key has two such lines. A second key would be passed over in silence.
        guard pem.ranges(of: "PRIVATE KEY-----").count == 2, let key = try? SigningKey(pem: pem, keyID: keyID)
        else { return nil }
        return algorithms.contains(key.algorithm) ? key : nil
    }
}

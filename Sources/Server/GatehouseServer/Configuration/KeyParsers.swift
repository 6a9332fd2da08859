import GatehouseTokens
import JOSE
import Text

/// A shared secret, as it is written in its setting.
package struct Secret: Sendable {
    let text: String

    var bytes: [UInt8] { Array(text.utf8) }

    /// Nil if the secret is too short.
    var signingKey: SigningKey? { try? SigningKey(writtenSecret: bytes) }

    /// The 32 bytes that the text encodes in base64; nil if the text is not such an encoding.
    var decoded: [UInt8]? { DataKey.bytes(written: text) }

    /// Whether two texts are the same secret, possibly in two encodings.
    func isSame(as other: Secret) -> Bool {
        text == other.text || decoded != nil && decoded == other.decoded
    }

    /// - Parameter isWeak: whether these bytes, or those that the text encodes, are easy to guess.
    func fault(atLeast byteCount: Int, isWeak: ([UInt8]) -> Bool = \.isPredictable) -> String? {
        if bytes.count < byteCount { return "is too short: it needs at least \(byteCount) bytes" }
        return [bytes, decoded, hexadecimal].contains { $0.map(isWeak) == true } ? Self.isNotRandom : nil
    }

    /// The bytes that the text writes as hexadecimal digits; nil if the text is not such an encoding.
    private var hexadecimal: [UInt8]? { Hexadecimal.bytes(bytes) }

    static let isNotRandom =
        "is not random: repetitions, sequences and words such as changeme are easy to guess; make one with: "
        + "gatehouse keys generate --alg HS256"
}

extension SettingParser where Value == Secret {
    /// A secret that signs tokens.
    static var secret: Self {
        let least = VerificationKey.minimumSecretByteCount
        return Self("at least \(least) random bytes") { text, faults in
            let secret = Secret(text: text)
            if let fault = secret.fault(atLeast: least) { faults.append(fault) }
            return secret
        }
    }

    /// `Configuration` validates this secret, and only if it is used.
    static var developmentSecret: Self {
        Self("at least \(Configuration.minimumDevelopmentSecretBytes) random bytes") { text, _ in Secret(text: text) }
    }

    /// A key that encrypts data. Its value is a `Secret`, so that it can be compared with other
    /// secrets even if it is invalid.
    static var dataKey: Self {
        let format = "32 bytes in base64 or base64url"
        return Self(format) { text, faults in
            let secret = Secret(text: text)
            if secret.decoded == nil { faults.append("must be \(format)") }
            if secret.decoded?.isPredictable == true { faults.append(Secret.isNotRandom) }
            return secret
        }
    }
}

extension SettingParser where Value == String {
    /// The private key that Apple issues for client secrets. Its value is the PEM: the key
    /// needs `APPLE_KEY_ID` as well.
    static var appleKey: Self {
        let parser = SettingParser<SigningKey>.pem(
            "one private key in PEM (PKCS #8), P-256, as in Apple's .p8 file", for: [.ES256])
        return Self(parser.format) { text, faults in parser.parse(text, &faults).map { _ in text } }
    }
}

extension SettingParser where Value == SigningKey {
    static var keyPair: Self {
        pem("one private key in PEM (PKCS #8), P-256 or Ed25519, and not encrypted", for: [.ES256, .EdDSA])
    }

    fileprivate static func pem(_ format: String, for algorithms: [Algorithm]) -> Self {
        Self(format) { pem, faults in
            // A key has two such lines. The library would ignore a second key.
            guard pem.ranges(of: "PRIVATE KEY-----").count == 2, let key = try? SigningKey(pem: pem),
                algorithms.contains(key.algorithm), let bytes = privateBytes(pem)
            else {
                faults.append("must be \(format)")
                return nil
            }
            if bytes.isPredictable {
                faults.append("is not random: repetitions and sequences are easy to guess; make a new one")
            }
            return key
        }
    }

    /// The private part of a P-256 or Ed25519 key: in both, the first octet string of 32 bytes (RFC 5915, RFC 8410).
    private static func privateBytes(_ pem: String) -> [UInt8]? {
        // Text before the first line of the key and after its last line is not part of it.
        let lines = pem.ranges(of: "PRIVATE KEY-----")
        guard lines.count == 2 else { return nil }
        let body = pem[lines[0].upperBound..<lines[1].lowerBound].prefix { $0 != "-" }
        let plain = body.filter { $0 != "=" && !$0.isWhitespace }.replacing("+", with: "-").replacing("/", with: "_")
        guard let der = Base64URL.decode(plain) else { return nil }
        let starts = der.indices.dropLast(33)
        return starts.first { der[$0] == 0x04 && der[$0 + 1] == 32 }.map { Array(der[($0 + 2)..<($0 + 34)]) }
    }
}

/// A key of a `…_PREVIOUS` setting.
struct ListedKey<Key: Sendable>: Sendable {
    /// The line of the setting on which the key begins; nil if it is the only key.
    let line: Int?
    let key: Key
}

extension SettingParser {
    /// The previous keys of a setting. See `KeyList` for the form.
    static func previous<Key>(_ parser: SettingParser<Key>, _ form: KeyList.Form) -> Self
    where Value == [ListedKey<Key>] {
        Self("up to \(KeyList.maximumCount) keys, each \(parser.format)") { text, faults in
            let list = KeyList(parsing: text, form)
            if list.hidesKey {
                faults.append(
                    "holds no key: a line that begins with # is a comment. Write a comment with a space after the #, "
                        + "or remove a key that begins with #")
            }
            if list.entries.count > KeyList.maximumCount {
                faults.append(
                    "holds \(list.entries.count) keys, and at most \(KeyList.maximumCount) are accepted: gatehouse keys retire "
                        + "removes those that are no longer needed")
            }
            return list.entries.compactMap { entry in
                let line = list.entries.count > 1 ? entry.line : nil
                var own: [String] = []
                let key = parser.parse(entry.text, &own)
                faults += own.map { (line.map { "line \($0) " } ?? "") + $0 }
                return key.map { ListedKey(line: line, key: $0) }
            }
        }
    }
}

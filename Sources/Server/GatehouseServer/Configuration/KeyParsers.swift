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

/// A rough estimate of how well a secret can be guessed. It finds secrets that a person has typed or copied from an example,
/// and refuses no random one: of 32 random characters nearly every one counts, and eight are enough.
extension [UInt8] {
    /// 32 random bytes have fewer different values with a probability below 10^-30, their hexadecimal digits below 10^-18.
    static let minimumParts = 8

    var isRepetitive: Bool { Set(self).count < Self.minimumParts }

    var isPredictable: Bool {
        if isRepetitive { return true }
        let text = map(Self.inLowerCase)
        return Self.hasPlaceholder(text) || !Self.hasEnoughParts(text)
    }

    /// Texts that mean "put a secret here". 32 random bytes in base64 contain one of them, in any case, with a probability
    /// below 10^-9.
    private static let placeholders = [
        "changeme", "changethis", "replaceme", "replacethis", "placeholder", "password", "yoursecret",
    ].map { Array($0.utf8) }

    /// Each counts as one part.
    private static let words = ["change", "secret", "example", "default", "qwertyuiop", "asdfghjkl", "zxcvbnm"]
        .map { Array($0.utf8) }

    /// Shorter repetitions and sequences also occur in random secrets.
    private static let shortestPattern = 4

    private static func inLowerCase(_ byte: UInt8) -> UInt8 {
        (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte) ? byte | 0x20 : byte
    }

    private static func hasPlaceholder(_ text: [UInt8]) -> Bool {
        let letters = text.filter { !" -_.".utf8.contains($0) }
        return placeholders.contains { !letters.ranges(of: $0).isEmpty }
    }

    /// A part is a byte, or a longer piece that needs no guessing: one that repeats earlier bytes, a sequence, or a word.
    private static func hasEnoughParts(_ text: [UInt8]) -> Bool {
        var start = 0
        for _ in 1..<minimumParts {
            start += length(ofPartAt: start, in: text)
            if start >= text.count { return false }
        }
        return true
    }

    private static func length(ofPartAt start: Int, in text: [UInt8]) -> Int {
        let word = words.first { text[start...].starts(with: $0) }?.count ?? 0
        let pattern = Swift.max(sequence(at: start, in: text), repetition(at: start, in: text))
        return Swift.max(word, pattern < shortestPattern ? 1 : pattern)
    }

    /// The length of a sequence with the same difference between all bytes, such as `3456`, `aaaa` and `fedc`.
    private static func sequence(at start: Int, in text: [UInt8]) -> Int {
        var end = start + 1
        while end < text.count, text[end] &- text[end - 1] == text[start + 1] &- text[start] { end += 1 }
        return end - start
    }

    /// How many bytes are the same as those from an earlier place on.
    private static func repetition(at start: Int, in text: [UInt8]) -> Int {
        (0..<start).lazy.map { earlier in zip(text[earlier...], text[start...]).prefix { $0 == $1 }.count }.max() ?? 0
    }
}

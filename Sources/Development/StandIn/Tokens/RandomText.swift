import OpenSSL

/// Unpredictable text, and text that follows from another one.
enum RandomText {
    static func hexadecimal(_ byteCount: Int) -> String { hexadecimal(SecureRandom.bytes(byteCount)) }

    static func hexadecimal(_ bytes: some Sequence<UInt8>) -> String {
        bytes.map { String(Int($0) + 256, radix: 16).dropFirst() }.joined()
    }

    static func digits(_ count: Int) -> String {
        String(SecureRandom.bytes(count).map { Character("\($0 % 10)") })
    }

    /// The same digits for the same name.
    static func digits(_ count: Int, for name: String) -> String {
        String(SHA256.hash(Array(name.utf8)).prefix(count).map { Character("\($0 % 10)") })
    }

    private static let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_")

    static func text(_ count: Int) -> String { text(from: SecureRandom.bytes(count)) }

    /// The same text for the same name.
    static func text(_ count: Int, for name: String) -> String {
        text(from: SHA256.hash(Array(name.utf8)).prefix(count))
    }

    private static func text(from bytes: some Sequence<UInt8>) -> String {
        String(bytes.map { alphabet[Int($0) % alphabet.count] })
    }

    /// A code or token in the form of Apple's: a letter for its kind, and parts separated by dots.
    static func ofApple(_ kind: Character) -> String { String(kind) + hexadecimal(16) + ".0.fake." + hexadecimal(8) }

    /// A subject in the form of Apple's: team, account, and the hour and minute of the first login.
    static func appleSubject(_ account: some Sequence<UInt8> = SecureRandom.bytes(16)) -> String {
        "001234." + hexadecimal(account) + ".0930"
    }
}

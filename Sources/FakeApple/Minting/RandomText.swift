import OpenSSL

/// Texts that nobody can guess.
enum RandomText {
    static func hexadecimal(_ byteCount: Int) -> String {
        SecureRandom.bytes(byteCount).map { String(Int($0) + 256, radix: 16).dropFirst() }.joined()
    }

    /// A code or token in the form of Apple's: a letter for its kind, and parts with dots between them.
    static func token(_ kind: Character) -> String {
        String(kind) + hexadecimal(16) + ".0.fake." + hexadecimal(8)
    }

    /// As Apple writes them: team, account, and the hour and minute of the first login.
    static func subject() -> String { "001234." + hexadecimal(16) + ".0930" }
}

/// The accepted form of a `kid`. It is checked before the `kid` is used for a lookup or logged.
enum KeyID {
    static let acceptedLengths = 1...256

    static func isAcceptable(_ keyID: String) -> Bool {
        var length = 0
        for scalar in keyID.unicodeScalars {
            guard !isControl(scalar) else { return false }
            length += 1
        }
        return acceptedLengths.contains(length)
    }

    /// The control characters C0, C1 and DEL. Reading the Unicode property takes ten times as long.
    private static func isControl(_ scalar: Unicode.Scalar) -> Bool {
        scalar.value < 0x20 || (0x7F...0x9F).contains(scalar.value)
    }
}

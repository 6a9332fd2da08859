/// What a `kid` may look like before it is used to look up anything or finds its way into a log.
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

    /// The two blocks of control characters and DEL. Unicode's own property says the same at ten times the cost.
    private static func isControl(_ scalar: Unicode.Scalar) -> Bool {
        scalar.value < 0x20 || (0x7F...0x9F).contains(scalar.value)
    }
}

/// What a `kid` may look like before it is used to look up anything or finds its way into a log.
enum KeyID {
    static let acceptedLengths = 1...256

    static func isAcceptable(_ keyID: String) -> Bool {
        acceptedLengths.contains(keyID.unicodeScalars.count)
            && !keyID.unicodeScalars.contains { $0.properties.generalCategory == .control }
    }
}

extension String {
    /// Byte by byte; `==` would call two spellings of the same character equal.
    func isIdentical(to other: String) -> Bool { utf8.elementsEqual(other.utf8) }
}

/// An id that a provider gives to a user, such as an openid: opaque, but printable and short.
enum ProviderID {
    private static let longest = 128

    static func isValid(_ text: String) -> Bool {
        isPrintable(text, atMost: longest)
    }

    /// Whether a text has at least one character, and only visible ASCII characters.
    static func isPrintable(_ text: String, atMost longest: Int) -> Bool {
        (1...longest).contains(text.utf8.count) && text.utf8.allSatisfy { (0x21...0x7E).contains($0) }
    }
}

extension LenientAnswer {
    /// Nil if the member is missing, or has no valid id.
    func id(_ name: String) -> String? {
        guard let text = text(name), ProviderID.isValid(text) else { return nil }
        return text
    }

    /// An id that the provider may leave out, or leave empty.
    ///
    /// - Parameter path: of the call that got the answer.
    func optionalID(_ name: String, at path: String) throws(CallFault) -> String? {
        guard has(name), text(name) != "" else { return nil }
        guard let id = id(name) else { throw .unreadable(path) }
        return id
    }
}

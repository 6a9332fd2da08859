extension Request {
    /// The token of `Authorization: Bearer …`, nil where no such credentials were sent. Never read from elsewhere.
    var bearerToken: String? {
        guard let bytes = authorization?.utf8, let gap = bytes.firstIndex(of: Self.space),
            bytes[..<gap].elementsEqual("bearer".utf8, by: { $0 | 0x20 == $1 }),
            let start = bytes[gap...].firstIndex(where: { $0 != Self.space })
        else { return nil }
        return String(bytes[start...])
    }

    private static let space = UInt8(ascii: " ")
}

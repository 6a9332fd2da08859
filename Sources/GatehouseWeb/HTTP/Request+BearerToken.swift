extension Request {
    /// The token of `Authorization: Bearer …`, nil where no such credentials were sent. Never read from elsewhere.
    var bearerToken: ArraySlice<UInt8>? {
        guard let credentials = bytes(of: .authorization), let start = Self.startOfToken(in: credentials.span) else {
            return nil
        }
        return credentials.dropFirst(start)
    }

    /// Behind the scheme, in any case, and the spaces after it.
    private static func startOfToken(in credentials: Span<UInt8>) -> Int? {
        let scheme = scheme.utf8.span
        guard credentials.count > scheme.count else { return nil }
        for index in scheme.indices where credentials[index] | 0x20 != scheme[index] { return nil }
        var start = scheme.count
        while start < credentials.count, credentials[start] == space { start += 1 }
        return start > scheme.count && start < credentials.count ? start : nil
    }

    private static let scheme = "bearer"
    private static let space = UInt8(ascii: " ")
}

import Testing

/// The ways in which a test sends requests to Gatehouse. The same rules hold in each.
enum TestEnvironment: String, Sendable, CaseIterable, CustomTestStringConvertible {
    /// The request handler in this process.
    case handler
    /// `gatehouse serve` on a Unix socket.
    case fastCGI
    /// `gatehouse serve` behind the shipped nginx configuration, over TLS.
    case nginx

    var testDescription: String { rawValue }
}

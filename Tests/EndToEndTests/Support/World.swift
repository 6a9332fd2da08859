import Testing

/// The ways in which a request can reach Gatehouse. The rules hold in all of them.
enum World: String, Sendable, CaseIterable, CustomTestStringConvertible {
    /// The router in this process.
    case handler
    /// `gatehouse serve` at a unix socket.
    case fastCGI
    /// The same behind the nginx that we ship, over TLS.
    case nginx

    var testDescription: String { rawValue }
}

import DevelopmentHTTP

/// A fault to inject between a client and the API.
enum APIFault: String, FaultKind {
    /// Carries the request out, and closes the connection without an answer.
    case lost
    /// Waits, then carries the request out.
    case delay
    /// Answers 503, and does not carry the request out.
    case unavailable

    static let maximumSeconds: Int64 = 60

    static let members: [(name: String, values: String)] = [
        ("path", "such as /api/auth/refresh"), ("seconds", "0 to \(maximumSeconds)"),
        ("times", "1 or more"),
    ]

    static func isPath(_ text: String) -> Bool { text.hasPrefix("/") }
}

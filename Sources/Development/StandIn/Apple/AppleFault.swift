import DevelopmentHTTP
import JSON

/// A fault to inject into Apple's endpoints.
package enum AppleFault: String, FaultKind {
    /// Performs the request, and delays the answer.
    case delay
    /// Accepts the request, and does not answer.
    case hang
    case status
    /// 200 with a body that is not JSON.
    case garbage
    /// 200 with an empty body.
    case empty
    /// 200 with a body of 1 MiB.
    case huge
    /// A redirect to the same URL, which no client may follow.
    case redirect
    /// Closes the connection without an answer.
    case close

    private static let paths = ["/auth/authorize", "/auth/keys", "/auth/token", "/auth/revoke", Apple.migrationPath]

    package static let maximumSeconds: Int64 = 3600

    package static let members: [(name: String, values: String)] = [
        ("path", paths.joined(separator: ", ")), ("seconds", "0 to \(maximumSeconds)"),
        ("status", "200 to 599"), ("error", "such as invalid_grant"), ("times", "1 or more"),
    ]

    package static func isPath(_ text: String) -> Bool { paths.contains(text) }
}

extension Fault<AppleFault> {
    /// The action in place of the answer; nil if the answer is only delayed.
    func action(for path: String) -> HTTPAction? {
        switch kind {
        case .delay: nil
        case .hang: .silence(seconds: 60)
        case .close: .silence(seconds: 0)
        case .status: .reply(HTTPReply(status: "\(status) Ordered", json: ["error": .string(error)]))
        case .garbage: .reply(.ok(Array("<html>It works!</html>".utf8)))
        case .empty: .reply(.ok([]))
        case .huge: .reply(.ok([UInt8](repeating: UInt8(ascii: " "), count: 1 << 20)))
        case .redirect: .reply(HTTPReply(status: "302 Found", body: []).adding("Location", path))
        }
    }
}

/// Where users and sessions are kept.
package enum DatabaseAddress: Sendable, Equatable {
    case sqlite(path: String)

    package var path: String {
        switch self {
        case .sqlite(let path): path
        }
    }

    /// Reads `sqlite:<path>`.
    init?(_ text: String) {
        guard text.hasPrefix("sqlite:"), text.utf8.count > 7 else { return nil }
        self = .sqlite(path: String(text.dropFirst(7)))
    }
}

/// What a user may do, as services behind the guard understand it. Each may do what those below it may.
package enum Role: String, Sendable, CaseIterable {
    case user = "USER"
    case admin = "ADMIN"
    case superAdmin = "SUPER_ADMIN"

    /// Every guarded request has one read. The compiler's own way is a search in a table, which is the longer one for three.
    package init?(rawValue: String) {
        guard let role = Self.allCases.first(where: { $0.rawValue == rawValue }) else { return nil }
        self = role
    }
}

extension Role: Comparable {
    package static func < (lower: Role, higher: Role) -> Bool { lower.rank < higher.rank }

    private var rank: Int {
        switch self {
        case .user: 0
        case .admin: 1
        case .superAdmin: 2
        }
    }
}

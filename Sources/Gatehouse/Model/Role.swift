/// What a user may do, as services behind the guard understand it.
package enum Role: String, Sendable, CaseIterable {
    case user = "USER"
    case admin = "ADMIN"
    case superAdmin = "SUPER_ADMIN"
}

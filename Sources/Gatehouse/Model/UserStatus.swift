/// Whether a user may sign in at all.
package enum UserStatus: String, Sendable, CaseIterable {
    case active = "ACTIVE"
    case disabled = "DISABLED"
    case deleted = "DELETED"
}

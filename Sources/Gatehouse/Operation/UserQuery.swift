/// Which users an operator wants to see.
package struct UserQuery: Sendable, Equatable {
    /// Nil: all but the deleted.
    package var status: UserStatus?
    package var role: Role?
    /// Only those created before this one: the next page.
    package var before: UserID?
    package var limit: Int

    package init(status: UserStatus? = nil, role: Role? = nil, before: UserID? = nil, limit: Int) {
        self.status = status
        self.role = role
        self.before = before
        self.limit = limit
    }
}

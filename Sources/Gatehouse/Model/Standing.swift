/// What holds of a user now, whatever the access tokens say that were issued before.
package struct Standing: Sendable, Equatable {
    package let role: Role
    package let status: UserStatus

    package init(role: Role, status: UserStatus) {
        self.role = role
        self.status = status
    }
}

/// A person, whatever ways they have of proving who they are.
package struct User: Sendable, Equatable {
    package let id: UserID
    package var email: String?
    /// Whether a provider has confirmed that the address belongs to the user.
    package var emailVerified: Bool
    package var nickname: String?
    package var avatarURL: String?
    package var role: Role
    package var status: UserStatus
    package var onboardingCompleted: Bool
    package var createdAt: Timestamp

    package init(
        id: UserID, email: String?, emailVerified: Bool = false, nickname: String?, avatarURL: String? = nil,
        role: Role = .user,
        status: UserStatus = .active, onboardingCompleted: Bool = false, createdAt: Timestamp
    ) {
        self.id = id
        self.email = email
        self.emailVerified = emailVerified
        self.nickname = nickname
        self.avatarURL = avatarURL
        self.role = role
        self.status = status
        self.onboardingCompleted = onboardingCompleted
        self.createdAt = createdAt
    }
}

/// What a user changes about themselves: nil leaves a value as it is, a nil within takes it away.
package struct ProfileChange: Sendable, Equatable {
    package var nickname: String??
    package var avatarURL: String??
    package var onboardingCompleted: Bool?

    package init(nickname: String?? = nil, avatarURL: String?? = nil, onboardingCompleted: Bool? = nil) {
        self.nickname = nickname
        self.avatarURL = avatarURL
        self.onboardingCompleted = onboardingCompleted
    }
}

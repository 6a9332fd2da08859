/// A change to a user's own profile. Nil leaves a value as it is, and an inner nil removes it.
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

extension AuthService {
    /// The caller's row as it is now, which may differ from what their access token says.
    package func currentUser(_ caller: Caller) throws(Refusal) -> User {
        guard let user = try store.user(caller.userID), user.status != .deleted else { throw .sessionRevoked }
        guard user.status == .active else { throw .userDisabled }
        return user
    }

    package func update(_ change: ProfileChange, of caller: Caller) throws(Refusal) -> User {
        if let changed = try store.update(caller.userID, change, now: primitives.now()) { return changed }
        _ = try currentUser(caller)
        // The user was enabled between the two reads.
        throw .storageUnavailable(StoreFailure("the user was enabled while their profile was changed"))
    }
}

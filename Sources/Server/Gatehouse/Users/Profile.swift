import Text

/// A change to a user's own profile. Nil leaves a value as it is, and an inner nil removes it.
package struct ProfileChange: Sendable, Equatable {
    package var nickname: String??
    package var avatarURL: String??
    package var onboardingCompleted: Bool?

    package init(nickname: String?? = nil, avatarURL: String?? = nil, onboardingCompleted: Bool? = nil) {
        (self.nickname, self.avatarURL, self.onboardingCompleted) = (nickname, avatarURL, onboardingCompleted)
    }
}

extension AuthService {
    /// The caller's row as it is now, which may differ from what their access token says.
    package func currentUser(_ caller: Caller) throws(Refusal) -> User {
        guard let user = try store.user(caller.userID), user.status != .deleted else { throw .sessionRevoked }
        guard user.status == .active else { throw .userDisabled }
        return user
    }

    /// For a change that found the caller's session ended, or the user deleted or disabled, of which this node may not know yet.
    func refusal(ofEnded caller: Caller) throws(Refusal) -> Refusal {
        _ = try currentUser(caller)
        return .sessionRevoked
    }

    package func update(_ change: ProfileChange, of caller: Caller) throws(Refusal) -> User {
        if let changed = try store.update(caller.userID, change, now: platform.now()) { return changed }
        _ = try currentUser(caller)
        // The user was enabled between the two reads.
        throw .storageUnavailable(StoreFailure("the user was enabled while their profile was changed"))
    }
}

// The rules for texts of a profile, for requests and for files of users.

extension String {
    package var hasControlCharacters: Bool {
        // Almost every text is ASCII, whose control characters need no table of Unicode.
        if utf8.allSatisfy({ $0 >= 0x20 && $0 < 0x7F }) { return false }
        return unicodeScalars.contains { $0.properties.generalCategory == .control }
    }

    /// Text on both sides of one `@`. Whether mail arrives there is not checked.
    package var isPlausibleAddress: Bool {
        let at = UInt8(ascii: "@")
        if utf8.allSatisfy(\.isVisible) {
            return utf8.first != at && utf8.last != at && utf8.count { $0 == at } == 1
        }
        // By scalars: a combining mark after the @ would hide it from a search by characters.
        let parts = unicodeScalars.split(separator: "@", omittingEmptySubsequences: false)
        return parts.count == 2 && parts.allSatisfy { !$0.isEmpty }
            && unicodeScalars.allSatisfy { !$0.properties.isWhitespace && $0.value >= 0x20 && $0.value != 0x7F }
    }

    /// An https URL with a host, and without a user.
    package var isHTTPSAddress: Bool {
        let host = dropFirst(8).prefix { $0 != "/" && $0 != "?" && $0 != "#" }
        return lowercased().hasPrefix("https://") && !host.isEmpty && !host.contains("@")
            && utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F && !#"<>"\^`{|}"#.utf8.contains($0) }
    }
}

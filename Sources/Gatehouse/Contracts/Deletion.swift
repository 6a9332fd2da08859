/// What went with a deleted user.
package struct Deletion: Sendable, Equatable {
    /// Those that were alive.
    package let sessions: [SessionID]
    package let revocation: AppleRevocation

    package init(sessions: [SessionID], revocation: AppleRevocation) {
        self.sessions = sessions
        self.revocation = revocation
    }
}

/// What the database that was replaced knew and the restored one does not: what happened between them.
package struct RestoreGap: Sendable, Equatable {
    /// Sessions that had ended since, and are alive again.
    package let sessionsRevived: Int64
    /// Sessions whose clients hold a later refresh token than the database knows: they have to sign in.
    package let sessionsBehind: Int64
    /// Users who had been deleted or disabled since, and are active again.
    package let usersRevived: Int64
    /// Users who had come since, and are gone.
    package let usersLost: Int64
}

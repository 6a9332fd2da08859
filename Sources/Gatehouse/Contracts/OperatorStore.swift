/// What operators ask of the store beside what the server does.
package protocol OperatorStore: Store {
    /// The newest first.
    func users(_ query: UserQuery) throws(StoreFailure) -> [UserRecord]

    /// The user with this id, or those with this address, in whatever case. One who is deleted has an id alone.
    func users(called name: String) throws(StoreFailure) -> [FoundUser]

    /// Keeps an active user out and ends their sessions. False, and nothing done, where there is none.
    func disable(_ id: UserID, noting event: AuditEvent) throws(StoreFailure) -> Bool

    /// Lets a disabled user in again, and the identities of one who has been removed. False, and nothing done, where there is none.
    func enable(_ id: UserID, noting event: AuditEvent) throws(StoreFailure) -> Bool

    /// Gives a user another role. False, and nothing done, where there is none or the role is theirs already.
    func setRole(_ role: Role, of id: UserID, noting event: AuditEvent) throws(StoreFailure) -> Bool

    /// The latest of those asked for, in the order in which they happened.
    func auditEvents(_ query: AuditQuery) throws(StoreFailure) -> [AuditEvent]

    /// Tells the servers of this database, at once, that the log of revocations has grown.
    func signRevocation()
}

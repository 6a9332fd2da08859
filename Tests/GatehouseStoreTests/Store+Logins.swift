import Gatehouse

/// Logins in the words of a test.
extension Store {
    /// False where the identity has a user already.
    func create(_ user: User, with login: NewSession) throws -> Bool {
        var login = login
        login.newUser = user
        return try record(login) == .recorded(user)
    }

    /// The user as they are then; nil where the login came to nothing.
    func add(_ login: NewSession) throws -> User? {
        guard case .recorded(let user) = try record(login) else { return nil }
        return user
    }

    func user(provider: Provider, subject: String) throws -> User? {
        try user(of: Identity(provider: provider, subject: subject, email: nil))
    }

    func delete(_ id: UserID, noting event: AuditEvent) throws -> [SessionID]? {
        try delete(id, asking: nil, noting: event)?.sessions
    }
}

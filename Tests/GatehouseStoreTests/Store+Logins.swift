import Gatehouse
import StoreSupport

/// Logins in the words of a test.
extension Store {
    /// False where the identity has a user already.
    func create(_ user: User, with login: WholeLogin) throws -> Bool { try record(login) == .recorded(user, ended: []) }

    /// The user as they are then; nil where the login came to nothing.
    func add(_ login: WholeLogin) throws -> User? {
        guard case .recorded(let user, _) = try record(login) else { return nil }
        return user
    }

    func delete(_ id: UserID, noting event: AuditEvent) throws -> [SessionID]? {
        try delete(id, asking: nil, noting: event)?.sessions
    }
}

extension OperatorStore {
    /// Who signs in by an identity.
    func user(provider: Provider, subject: String) throws -> User? {
        try users(UserQuery(limit: 100)).map(\.user).first { user in
            try accounts(of: user.id).contains { $0.provider == provider && $0.subject == subject }
        }
    }
}

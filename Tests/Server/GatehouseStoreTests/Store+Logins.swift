import Gatehouse
import StoreSupport

/// Operations with the results that tests compare.
extension Store {
    /// False if the identity already has a user.
    func create(_ user: User, with login: LoginFixture) throws -> Bool {
        try record(login) == .recorded(user, ended: [])
    }

    /// The user after the login; nil if the login was refused.
    func add(_ login: LoginFixture) throws -> User? {
        guard case .recorded(let user, _) = try record(login) else { return nil }
        return user
    }

    func delete(_ id: UserID, recording event: AuditEvent) throws -> [SessionID]? {
        try delete(id, queueing: nil, recording: event)?.sessions
    }
}

extension OperatorStore {
    /// The user with this identity.
    func user(provider: Provider, subject: String) throws -> User? {
        try users(UserQuery(limit: 100)).map(\.user).first { user in
            try accounts(of: user.id).contains { $0.provider == provider && $0.subject == subject }
        }
    }
}

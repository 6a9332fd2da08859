package import Gatehouse
import SQL
package import SQLite

private let ownerOfIdentity = """
    SELECT user_id FROM auth_accounts WHERE provider = ? AND provider_user_id = ?
    """

extension Connection {
    package func owners(of identities: [Identity]) throws -> [UserID?] {
        try identities.map { identity in
            let provider = Value.text(identity.provider.rawValue)
            if let owner = try user(ownerOfIdentity, provider, .text(identity.subject)) { return owner }
            if let subject = identity.transferSubject,
                let owner = try user(
                    "SELECT user_id FROM auth_accounts WHERE provider = ? AND transfer_sub = ?", provider,
                    .text(subject))
            {
                return owner
            }
            guard let subject = identity.unionSubject else { return nil }
            return try user(
                "SELECT user_id FROM auth_accounts WHERE provider = ? AND union_sub = ?", provider, .text(subject))
        }
    }

    private func user(_ query: String, _ provider: Value, _ subject: Value) throws -> UserID? {
        try first(query, provider, subject) { UserID($0.text(0)) }
    }

    package func existing(_ ids: [UserID]) throws -> Set<UserID> {
        Set(try ids.filter { id in try first("SELECT 1 FROM users WHERE id = ?", .text(id.text)) { _ in true } != nil })
    }
}

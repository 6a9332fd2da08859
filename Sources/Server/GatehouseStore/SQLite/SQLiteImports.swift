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
            if let owner = try user(
                "SELECT user_id FROM auth_accounts WHERE provider = ? AND former_sub = ?", provider,
                .text(identity.subject))
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

    package func statuses(of ids: [UserID]) throws -> [UserID: UserStatus] {
        var statuses: [UserID: UserStatus] = [:]
        for id in ids {
            statuses[id] = try first("SELECT status FROM users WHERE id = ?", .text(id.text)) { row in
                try row.case(UserStatus.self, at: 0)
            }
        }
        return statuses
    }
}

package import Gatehouse
package import PostgreSQL
import SQL

/// One query each for a whole batch: the server may be far away.
extension Connection {
    package func owners(of identities: [Identity]) throws -> [UserID?] {
        guard !identities.isEmpty else { return [] }
        return try all(
            """
            SELECT coalesce(
                (SELECT user_id FROM auth_accounts a WHERE a.provider = i.provider AND a.provider_user_id = i.subject),
                (SELECT user_id FROM auth_accounts a WHERE a.provider = i.provider AND a.transfer_sub = i.transfer),
                (SELECT min(user_id) FROM auth_accounts a WHERE a.provider = i.provider AND a.former_sub = i.subject),
                (SELECT user_id FROM auth_accounts a WHERE a.provider = i.provider AND a.union_sub = i.common))
            FROM unnest(?1::text[], ?2::text[], ?3::text[], ?4::text[])
                WITH ORDINALITY AS i (provider, subject, transfer, common, place)
            ORDER BY i.place
            """,
            with: [
                .texts(identities.map(\.provider.rawValue)), .texts(identities.map(\.subject)),
                .texts(identities.map(\.transferSubject)), .texts(identities.map(\.unionSubject)),
            ]
        ) { row in row.optionalText(0).map(UserID.init) }
    }

    package func statuses(of ids: [UserID]) throws -> [UserID: UserStatus] {
        guard !ids.isEmpty else { return [:] }
        let found = try all(
            "SELECT id, status FROM users WHERE id = ANY (?1::text[])", with: [.texts(ids.map(\.text))]
        ) { row in (UserID(row.text(0)), try row.case(UserStatus.self, at: 1)) }
        return Dictionary(uniqueKeysWithValues: found)
    }
}

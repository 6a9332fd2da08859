import JSON

/// A row of `auth.identities`.
struct SupabaseIdentity {
    let provider: String
    let subject: String?
    let email: String?
    let isEmailVerified: Bool?

    init?(_ row: CSVTable.Row) {
        guard let provider = row["provider"] else { return nil }
        let data = row["identity_data"].flatMap { try? JSONValue(parsing: $0).object } ?? [:]
        self.provider = provider
        // Before the column provider_id, the subject was the id of the row.
        subject = row["provider_id"] ?? data["sub"]?.string ?? row["id"]
        email = data["email"]?.string.nonEmpty ?? row["email"]
        isEmailVerified = data["email_verified"]?.bool
    }
}

package import SQL

/// A table that a move copies. Its columns have the same names in both databases.
package struct MovedTable: Sendable {
    package let name: String
    /// The column by which the rows are read. It has no NULL, and both databases sort it byte by byte.
    let key: String
    package let columns: [String]
    /// The kinds of the columns, in their order.
    package let kinds: [ColumnKind]
    /// Whether the database numbers the rows, in the column `key`.
    let isNumbered: Bool
    /// Which rows are moved.
    let condition: String

    private init(
        _ name: String, key: String, texts: [String] = [], numbers: [String] = [], flags: [String] = [],
        blobs: [String] = [], isNumbered: Bool = false, condition: String = "TRUE"
    ) {
        self.name = name
        self.key = key
        columns = texts + numbers + flags + blobs
        kinds =
            texts.map { _ in .text } + numbers.map { _ in .number } + flags.map { _ in .flag }
            + blobs.map { _ in .blob }
        self.isNumbered = isNumbered
        self.condition = condition
    }

    var columnList: String { columns.joined(separator: ", ") }

    var query: String { "SELECT \(columnList) FROM \(name) WHERE \(condition) ORDER BY \(key)" }
}

extension MovedTable {
    /// Columns that have a meaning only in one database, by table. PostgreSQL gives each revocation the id of the transaction
    /// that copies it. A node that sends the events of the source has nothing to do with the target.
    package static let unmovedColumns: [String: Set<String>] = [
        "revocations": ["transaction"], "event_receivers": ["holder", "held_until"],
    ]

    /// Every table of the schema, each after the tables that it refers to.
    package static let all: [MovedTable] = [
        MovedTable(
            "users", key: "id",
            texts: ["id", "email", "nickname", "avatar_url", "role", "status", "last_login_provider", "phone"],
            numbers: ["last_login_at", "created_at", "updated_at"],
            flags: ["email_verified", "onboarding_completed"]),
        MovedTable(
            "auth_accounts", key: "id",
            texts: [
                "id", "user_id", "provider", "provider_user_id", "email", "email_hint", "client_id", "transfer_sub",
                "union_sub", "former_sub", "transfer_team", "transfer_refused",
            ],
            numbers: [
                "real_user_status", "real_user_status_hint", "notified_at", "created_at", "updated_at",
                "transferred_at",
            ],
            flags: ["email_verified", "is_private_email", "mail_forwarded"],
            blobs: ["refresh_token", "identity_token_hash"]),
        MovedTable(
            "refresh_tokens", key: "id",
            texts: [
                "id", "user_id", "provider", "client_id", "repeat_user_agent", "repeat_address", "revoke_reason",
                "user_agent", "address", "last_user_agent", "last_address", "jkt",
            ],
            numbers: [
                "generation", "rotated_at", "expires_at", "confirmed_at", "repeats", "repeats_elsewhere",
                "burst_generation", "burst_at", "revoked_at", "created_at", "updated_at",
            ],
            blobs: ["token_hash", "token_random", "token_seed", "previous_hash", "identity_token_hash", "used_proofs"]),
        MovedTable(
            "revocations", key: "place", texts: ["session_id", "user_id"], numbers: ["place", "moment"],
            isNumbered: true),
        MovedTable(
            "audit_events", key: "id",
            texts: [
                "kind", "actor", "user_id", "session_id", "provider", "address", "user_agent", "detail", "operator",
            ],
            numbers: ["id", "moment", "count"], isNumbered: true),
        // Health checks write the document `probe`, and nothing reads its content. The others compare the clocks of the
        // machines that have used the database so far.
        MovedTable(
            "documents", key: "name", texts: ["name"], numbers: ["updated_at"], blobs: ["content"],
            condition: "name NOT IN ('probe', 'last_known_time') AND name NOT LIKE 'node clock %'"),
        MovedTable(
            "redemptions", key: "id", numbers: ["id", "moment", "expires_at"], flags: ["closed"],
            blobs: ["hash", "token_hash"], isNumbered: true),
        MovedTable(
            "codes", key: "id", texts: ["provider", "address"], numbers: ["id", "tries", "expires_at"],
            blobs: ["hash", "seed", "code_hash"], isNumbered: true),
        MovedTable(
            "code_sends", key: "id", texts: ["provider", "country"], numbers: ["id", "moment"], flags: ["used"],
            blobs: ["code", "address", "prefix", "prefix_network", "client", "network"], isNumbered: true),
        MovedTable(
            "authorization_requests", key: "id",
            texts: ["provider", "nonce", "code_verifier", "redirect_uri", "code_challenge", "app_state"],
            numbers: ["id", "expires_at"], blobs: ["hash", "browser"], isNumbered: true),
        MovedTable(
            "authorization_codes", key: "id", texts: ["redirect_uri", "code_challenge", "session_id"],
            numbers: ["id", "expires_at"], blobs: ["hash", "proof"], isNumbered: true),
        MovedTable(
            "apple_tasks", key: "id", texts: ["kind", "user_id", "client_id"],
            numbers: ["id", "attempts", "due_at", "expires_at"], blobs: ["secret"], isNumbered: true),
        MovedTable(
            "apple_notifications", key: "place", texts: ["id"], numbers: ["place", "moment"], isNumbered: true),
        MovedTable(
            "event_receivers", key: "name", texts: ["name", "types"], numbers: ["seen_at", "stopped_at", "resumed_at"]),
        MovedTable(
            "events", key: "number",
            texts: ["receiver", "id", "type", "user_id", "session_id", "detail", "fault"],
            numbers: ["number", "moment", "attempts", "due_at", "expires_at", "dead_at"], isNumbered: true),
        MovedTable(
            "notices", key: "id", texts: ["user_id", "kind", "provider", "address"],
            numbers: ["id", "moment", "attempts", "due_at", "expires_at"], isNumbered: true),
        MovedTable("barred_identities", key: "hash", texts: ["user_id"], numbers: ["moment"], blobs: ["hash"]),
    ]
}

import Gatehouse
import OpenSSL
package import SQL
import Text

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

    /// - Parameter list: the columns of a record. The others follow.
    private init(
        _ name: String, key: String, _ list: ColumnList? = nil, texts: [String] = [], numbers: [String] = [],
        flags: [String] = [], blobs: [String] = [], isNumbered: Bool = false, condition: String = "TRUE"
    ) {
        (self.name, self.key) = (name, key)
        let listed = list?.columns ?? []
        columns = listed.map(\.name) + texts + numbers + flags + blobs
        kinds =
            listed.map(\.kind) + texts.map { _ in .text } + numbers.map { _ in .number } + flags.map { _ in .flag }
            + blobs.map { _ in .blob }
        (self.isNumbered, self.condition) = (isNumbered, condition)
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
            "users", key: "id", User.columns, texts: ["id", "last_login_provider"],
            numbers: ["last_login_at", "updated_at", "attributes_version"]),
        MovedTable(
            "auth_accounts", key: "id", LinkedAccount.columns,
            texts: ["id", "user_id", "client_id", "transfer_team", "transfer_refused"],
            numbers: ["notified_at", "updated_at", "transferred_at"], blobs: ["refresh_token", "identity_token_hash"]),
        MovedTable(
            "refresh_tokens", key: "id", Session.columns, texts: ["id", "user_id"], numbers: ["updated_at"],
            blobs: ["identity_token_hash"]),
        MovedTable(
            "revocations", key: "place", texts: ["session_id", "user_id"], numbers: ["place", "moment"],
            isNumbered: true),
        MovedTable("audit_events", key: "id", AuditEntry.columns, numbers: ["id"], isNumbered: true),
        // Health checks write the document `probe`, and nothing reads its content. The others compare the clocks of the
        // machines that have used the database so far.
        MovedTable(
            "documents", key: "name", texts: ["name"], numbers: ["updated_at"], blobs: ["content"],
            condition: "name NOT IN ('probe', 'last_known_time') AND name NOT LIKE 'node clock %'"),
        MovedTable(
            "redemptions", key: "id", numbers: ["id", "moment", "expires_at"], flags: ["closed"],
            blobs: ["hash", "token_hash"], isNumbered: true),
        MovedTable(
            "codes", key: "id", StoredCode.columns, numbers: ["id"], blobs: ["hash"], isNumbered: true),
        MovedTable(
            "code_sends", key: "id", texts: ["provider", "country"], numbers: ["id", "moment"], flags: ["used"],
            blobs: ["code", "address", "prefix", "prefix_network", "client", "network"], isNumbered: true),
        MovedTable(
            "authorization_requests", key: "id", StoredAuthorizationRequest.columns, numbers: ["id"], isNumbered: true),
        MovedTable(
            "authorization_codes", key: "id", StoredAuthorizationCode.columns, numbers: ["id"], isNumbered: true),
        MovedTable("apple_tasks", key: "id", AppleTask.columns, isNumbered: true),
        MovedTable(
            "apple_notifications", key: "place", texts: ["id"], numbers: ["place", "moment"], isNumbered: true),
        MovedTable(
            "event_receivers", key: "name", texts: ["name", "types"], numbers: ["seen_at", "stopped_at", "resumed_at"]),
        MovedTable("passkeys", key: "id", Passkey.columns, texts: ["account_id"]),
        MovedTable("events", key: "number", QueuedEvent.columns, isNumbered: true),
        MovedTable(
            "notices", key: "id", texts: ["user_id", "kind", "provider", "address"],
            numbers: ["id", "moment", "attempts", "due_at", "expires_at"], isNumbered: true),
        MovedTable(
            "audit_acts", key: "id", texts: ["actor", "reason", "request_id"], numbers: ["id", "moment"]),
        MovedTable(
            "merges", key: "id",
            texts: [
                "user_id", "other_id", "actor", "accounts", "email", "nickname", "avatar_url", "last_login_provider",
                "other_email", "other_nickname", "other_avatar_url", "attributes",
            ],
            numbers: ["id", "moment", "last_login_at"],
            flags: ["email_verified", "onboarding_completed", "other_email_verified"]),
        MovedTable("statistics", key: "id", texts: ["id"], numbers: ["count"]),
        MovedTable("barred_identities", key: "hash", texts: ["user_id"], numbers: ["moment"], blobs: ["hash"]),
    ]
}

/// The number of a table's rows, and a hash over them in the order of the key. Both databases encode values alike, so
/// the same rows give the same hash.
struct TableContent: Sendable, Equatable {
    let count: Int64
    let hash: [UInt8]
}

struct RowDigest {
    private var count: Int64 = 0
    private var state = SHA256State()

    /// - Parameter row: encoded. The encoding also separates it from the next row.
    mutating func add(_ row: Span<UInt8>) {
        state.update(row)
        count += 1
    }

    var content: TableContent { TableContent(count: count, hash: Array(copying: state.finish().span)) }
}

/// The rows of a table with texts that PostgreSQL cannot store.
struct UnstorableRows {
    private let table: MovedTable
    private var keys: [String] = []
    private var count = 0

    init(of table: MovedTable) {
        self.table = table
    }

    mutating func add(_ row: Span<UInt8>) throws {
        count += 1
        if keys.count < 5 { keys.append(try table.keyText(of: row)) }
    }

    var isEmpty: Bool { count == 0 }

    var refusal: MoveRefusal? {
        guard count > 0 else { return nil }
        let list = keys.joined(separator: ", ") + (count > keys.count ? ", …" : "")
        let rows = count == 1 ? "1 row" : "\(count) rows"
        return MoveRefusal(
            "PostgreSQL stores only texts in UTF-8 without a zero byte, and \(rows) of the table \(table.name) have another "
                + "one (\(table.key) \(list)): correct these texts first")
    }
}

extension MovedTable {
    /// Whether PostgreSQL can store the texts.
    func isStorable(_ row: Span<UInt8>) throws -> Bool {
        var places = ColumnPlaces()
        for kind in kinds {
            guard let place = try places.next(in: row), kind == .text else { continue }
            let text = row.extracting(place)
            guard !text.hasZeroByte, (try? UTF8Span(validating: text)) != nil else { return false }
        }
        return true
    }

    /// The key as an operator finds the row: blobs in hexadecimal digits.
    fileprivate func keyText(of row: Span<UInt8>) throws -> String {
        var places = ColumnPlaces()
        for (column, kind) in zip(columns, kinds) {
            let place = try places.next(in: row)
            guard column == key, let place else { continue }
            let bytes = place.map { row[$0] }
            return switch kind {
            case .text: String(decoding: bytes, as: UTF8.self)
            case .number, .flag: String(bytes.reduce(0) { $0 << 8 | Int64($1) })
            case .blob: Hexadecimal.text(bytes)
            }
        }
        return "NULL"
    }
}

extension Span<UInt8> {
    fileprivate var hasZeroByte: Bool {
        for index in indices where self[index] == 0 { return true }
        return false
    }
}

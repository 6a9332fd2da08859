import Gatehouse
import SQL
import SQLite
import StoreSupport
import TestSupport
import Testing

@testable import GatehouseStore

/// SQLite chooses a plan without regard to the number of rows, which are few in a test.
@Suite("Searches of operators", .enabled(if: !TestDatabase.isOnServer, "the plan of a server depends on the rows"))
struct OperatorSearchTests {
    private let folder: TemporaryFolder
    private let connection: Connection

    init() throws {
        folder = try TemporaryFolder()
        _ = try SQLiteStore(path: folder.file("g.db"))
        connection = try Connection(path: folder.file("g.db"), access: .readOnly)
    }

    /// What each step reads, such as `SEARCH users USING PRIMARY KEY (id=?)`.
    private func plan(_ statement: String) throws -> [String] {
        try connection.all("EXPLAIN QUERY PLAN " + statement.replacing(/\?[1-9]/, with: "'1'")) { $0.text(3) }
    }

    @Test(
        "a user is found without reading a whole table",
        arguments: [
            UserSearch.byIDOrPhone, UserSearch.byAddress, UserSearch.record(providers: Connection.providersOfUser),
            knownAddress, UserLookup.byPhone, UserLookup.byAddress,
            UserLookup.record(providers: Connection.providersOfUser),
            UserLookup.byNickname(providers: Connection.providersOfUser),
        ])
    func user(statement: String) throws {
        let steps = try plan(statement)
        #expect(steps.contains { $0.hasPrefix("SEARCH") })
        // The providers of the user are a subquery, and a question without a table is a constant row.
        #expect(
            !steps.contains { $0.hasPrefix("SCAN") && !$0.contains("(subquery") && $0 != "SCAN CONSTANT ROW" },
            "\(steps)")
    }

    @Test("a page of users is found without reading those before it, or those with another role or status")
    func lists() throws {
        for status in [nil, .active, .disabled, .deleted] as [UserStatus?] {
            for role in [nil, .user, .admin] as [Role?] {
                let query = UserQuery(status: status, role: role, before: UserID("user_1"), limit: 50)
                let first = try plan(Connection.statement(of: query)).first ?? ""
                let isRare = role == .admin || status == .disabled || status == .deleted
                #expect(first.contains(isRare ? "USING INDEX users_by_" : "USING PRIMARY KEY"), "\(query): \(first)")
                #expect(first.contains("id<?"), "\(query): \(first)")
            }
        }
    }

    @Test("the events of a user are found without reading the whole audit trail")
    func audit() throws {
        let steps = try plan(Connection.statement(of: AuditQuery(userID: UserID("user_1"), limit: 100)))
        #expect(steps.contains { $0.hasPrefix("SEARCH audit_events USING INDEX audit_events_by_user") }, "\(steps)")
    }

    @Test("a subject is found at any provider with a search of an index for each")
    func subject() throws {
        let steps = try plan(UserLookup.bySubject)
        #expect(!steps.contains { $0.hasPrefix("SCAN auth_accounts") || $0.hasPrefix("SCAN users") }, "\(steps)")
        for column in ["provider_user_id", "union_sub", "former_sub"] {
            #expect(steps.contains { $0.contains("(provider=? AND \(column)=?)") }, "\(column): \(steps)")
        }
    }

    @Test(
        "a page of the audit trail is read without the pages before it",
        arguments: [
            AuditSelection(limit: 5), AuditSelection(userID: UserID("user_1"), limit: 5),
            AuditSelection(actor: "user_1", limit: 5),
        ])
    func auditPages(_ selection: AuditSelection) throws {
        let steps = try plan(AuditSelection.statement(selection))
        #expect(steps.allSatisfy { $0.hasPrefix("SEARCH") || $0.contains("TEMP B-TREE FOR ORDER BY") }, "\(steps)")
    }
}

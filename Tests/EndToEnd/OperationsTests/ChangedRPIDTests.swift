import Foundation
import StoreSupport
import TestSupport
import Testing

@testable import ServerSupport

/// With another RP id, no phone would offer the passkeys of the users.
@Suite("A changed RP id")
struct ChangedRPIDTests {
    private func stop(_ server: ServerProcess) {
        server.process.signal(SIGTERM)
        #expect(server.process.wait() == 0)
    }

    /// Makes a passkey of the user, as far as the RP id is concerned.
    private func addPasskey(_ server: ServerProcess, _ user: String) throws {
        try server.testDatabase.execute(
            """
            INSERT INTO auth_accounts (id, user_id, provider, provider_user_id, created_at, updated_at)
            VALUES ('acct_passkey', '\(user)', 'PASSKEY', 'handle', 1, 1)
            """)
    }

    @Test("While there are passkeys, a server with another RP id exits 2, names the kept one and changes nothing")
    func start() throws {
        let server = try ServerProcess { $0["PASSKEY_RP_ID"] = "example.com" }
        let user = try server.devLogin("ada@example.com").userID
        stop(server)
        // Without passkeys, it may change.
        try server.restart { $0["PASSKEY_RP_ID"] = "example.org" }
        try addPasskey(server, user)
        stop(server)
        for other in ["example.com", "login.example.org", "org.example"] {
            let (status, log) = try server.refusedStart { $0["PASSKEY_RP_ID"] = other }
            #expect(status == 2)
            #expect(log.contains("PASSKEY_RP_ID is not example.org") && log.contains("A changed RP id"), "\(log)")
        }
        for kept in [nil, "example.org"] {
            try server.restart { $0["PASSKEY_RP_ID"] = kept }
            #expect(try server.devLogin("ada@example.com").status == 200)
            stop(server)
        }
        #expect(try server.refusedStart { $0["PASSKEY_RP_ID"] = "example.com" }.status == 2, "also after it was unset")
        try server.testDatabase.execute("DELETE FROM auth_accounts WHERE provider = 'PASSKEY'")
        try server.restart { $0["PASSKEY_RP_ID"] = "example.com" }
        #expect(try server.devLogin("ada@example.com").status == 200)
    }

    @Test("A reload with another RP id is refused, and the old one stays in force")
    func reload() throws {
        let first = try ServerProcess { $0["PASSKEY_RP_ID"] = "example.com" }
        try addPasskey(first, first.devLogin("ada@example.com").userID)
        stop(first)
        let configured = try ServerWithConfigurationFile([
            "PASSKEY_RP_ID": "example.com", "DATABASE_URL": first.databaseURL,
        ])
        let said = try configured.reload(["PASSKEY_RP_ID": "example.org"])
        #expect(said.contains("\"reload_refused\"") && said.contains("PASSKEY_RP_ID is not example.com"), "\(said)")
        #expect(try configured.reload(["PASSKEY_RP_ID": "example.com"]).contains("\"reloaded\""))
    }
}

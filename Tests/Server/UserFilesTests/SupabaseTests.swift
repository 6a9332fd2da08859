import Gatehouse
import Testing
import UserFiles

/// Tables as https://supabase.com/docs/guides/auth/users and /identities describe them, with the columns of the migrations of
/// Supabase Auth, as PostgreSQL's COPY writes them.
@Suite("The tables of Supabase")
struct SupabaseTests {
    private static let now = Timestamp(milliseconds: 1_760_000_000_000)
    private static let userColumns = [
        "instance_id", "id", "email", "encrypted_password", "email_confirmed_at", "confirmation_sent_at",
        "last_sign_in_at", "raw_app_meta_data", "raw_user_meta_data", "created_at", "phone", "phone_confirmed_at",
        "banned_until", "is_sso_user", "deleted_at", "is_anonymous",
    ]

    private func quoted(_ text: String) -> String { "\"" + text.replacing("\"", with: "\"\"") + "\"" }

    private func table(_ columns: [String], _ rows: [[String: String]]) -> String {
        let lines = rows.map { row in columns.map { row[$0].map(quoted) ?? "" }.joined(separator: ",") }
        return ([columns.joined(separator: ",")] + lines).joined(separator: "\n") + "\n"
    }

    private func identity(_ user: String, _ provider: String, _ subject: String, _ data: String = "{}") -> [String:
        String]
    {
        ["provider_id": subject, "user_id": user, "provider": provider, "identity_data": data]
    }

    private func convert(
        _ users: [[String: String]], _ identities: [[String: String]], names: [String: String] = [:]
    ) throws -> (users: [ConvertedUser], confirmedWithoutMail: Int) {
        let columns = ["provider_id", "user_id", "identity_data", "provider", "id"]
        var conversion = SupabaseConversion(providerNames: names, now: Self.now)
        try conversion.addIdentities(Array(table(columns, identities).utf8))
        try conversion.finishIdentities()
        var converted: [ConvertedUser] = []
        try conversion.convert(Array(table(Self.userColumns, users).utf8)) { converted.append($0) }
        try conversion.finish { converted.append($0) }
        return (converted, conversion.confirmedWithoutMail)
    }

    private func ways(_ user: ConvertedUser) -> [String] {
        user.line?.identities.map { "\($0.provider ?? "") \($0.subject ?? "")" } ?? []
    }

    private static let confirmed = [
        "email": "a@x.de", "email_confirmed_at": "2024-05-01 10:00:00+00",
        "confirmation_sent_at": "2024-05-01 09:00:00+00",
    ]

    @Test("a user of Apple keeps the subject, the profile with line ends, and the times")
    func apple() throws {
        let user = Self.confirmed.merging([
            "id": "u1", "created_at": "2024-01-01 00:00:00.123456+00", "last_sign_in_at": "2024-05-01 12:00:00+02",
            "raw_app_meta_data": #"{"provider": "apple", "providers": ["apple"], "plan": "pro"}"#,
            "raw_user_meta_data": "{\"full_name\": \"Ada, L\",\n \"avatar_url\": \"https://x.de/a\"}",
        ]) { $1 }
        let data =
            #"{"sub": "001.a", "email": "a@privaterelay.appleid.com", "email_verified": true, "phone_verified": false}"#
        let converted = try convert([user], [identity("u1", "apple", "001.a", data)]).users
        let line = try #require(converted.first?.line)
        #expect(line.identities.count == 1 && line.identities[0].subject == "001.a")
        #expect(line.identities[0].isPrivateEmail == true && line.identities[0].emailVerified == true)
        #expect(line.nickname == "Ada, L" && line.avatarURL == "https://x.de/a" && line.reference == "u1")
        #expect(line.attributes == Attributes(canonical: #"{"plan":"pro"}"#))
        #expect(line.createdAt == "2024-01-01T00:00:00.123Z" && line.lastLoginAt == "2024-05-01T10:00:00.000Z")
        #expect(throws: Never.self) { try line.checked(by: ImportRules(permitsRoles: false, now: Self.now)) }
    }

    @Test(
        "who signs in how, and who loses what",
        arguments: [
            (confirmed, ["email"], ["email a@x.de"], []),
            (confirmed, [], ["email a@x.de"], []),
            (confirmed, ["google"], ["google s"], []),
            (confirmed, ["google", "email"], ["google s", "email a@x.de"], []),
            (
                ["email": "a@x.de", "encrypted_password": "$2a$10$x"], ["email"], [],
                ["password_without_verified_email"]
            ),
            (
                ["phone": "8613800138000", "phone_confirmed_at": "2024-05-01 10:00:00+00"], ["phone"],
                ["phone +8613800138000"], []
            ),
            (["phone": "8613800138000"], ["phone"], [], ["phone_not_verified"]),
            (["is_anonymous": "t"], [], [], ["anonymous"]),
            (["email": "a@x.de", "is_sso_user": "t"], ["sso:1"], [], ["sso"]),
            (confirmed, ["azure"], [], ["provider azure"]),
            (["deleted_at": "2024-05-01 10:00:00+00"], ["google"], [], ["deleted"]),
        ] as [([String: String], [String], [String], [String])])
    func cases(user: [String: String], providers: [String], expected: [String], losses: [String]) throws {
        let identities = providers.map { identity("u1", $0, ["email", "phone"].contains($0) ? "u1" : "s") }
        let converted = try convert(
            [user.merging(["id": "u1"]) { $1 }], identities + [identity("u2", "google", "other")])
        #expect(converted.users.map(ways) == [expected])
        #expect(converted.users.map { $0.losses.map(\.code) } == [losses])
    }

    @Test("a ban that is not over disables the user")
    func banned() throws {
        for (text, status) in [
            ("2999-01-01 00:00:00+00", "DISABLED"), ("2020-01-01 00:00:00+00", "ACTIVE"), ("infinity", "DISABLED"),
        ] {
            let user = ["id": "u1", "banned_until": text]
            #expect(try convert([user], [identity("u1", "google", "1")]).users.first?.line?.status == status)
        }
    }

    @Test("addresses that were confirmed without a mail are counted")
    func autoconfirmed() throws {
        var user = Self.confirmed.merging(["id": "u1"]) { $1 }
        #expect(try convert([user], [identity("u1", "email", "u1")]).confirmedWithoutMail == 0)
        user["confirmation_sent_at"] = nil
        #expect(try convert([user], [identity("u1", "email", "u1")]).confirmedWithoutMail == 1)
    }

    @Test("another provider is taken under a name that is given, and the subject of older tables is the id of the row")
    func named() throws {
        let old = ["id": "9", "user_id": "u1", "provider": "azure", "identity_data": #"{"sub": "9"}"#]
        #expect(try convert([["id": "u1"]], [old], names: ["azure": "company"]).users.map(ways) == [["company 9"]])
    }

    @Test("a table without its columns is refused")
    func columns() throws {
        var conversion = SupabaseConversion(now: Self.now)
        #expect(throws: CSVTable.Fault.missingColumn("user_id")) {
            try conversion.addIdentities(Array("id,provider\n".utf8))
        }
        #expect(throws: CSVTable.Fault.missingColumn("id")) {
            try conversion.convert(Array("email\n".utf8)) { _ in }
        }
        #expect(throws: CSVTable.Fault.missingColumn("id")) { try conversion.finish { _ in } }
    }
}

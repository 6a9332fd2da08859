import Gatehouse
import Testing
import UserFiles

/// Files as https://firebase.google.com/docs/cli/auth describes them and `src/accountExporter.ts` of the command writes them.
@Suite("A file of firebase auth:export")
struct FirebaseTests {
    private func convert(
        _ text: String, chunk: Int = .max, names: [String: String] = [:]
    ) throws -> [ConvertedUser] {
        var (users, rest) = ([ConvertedUser](), Array(text.utf8)[...])
        var conversion = FirebaseConversion(providerNames: names)
        while !rest.isEmpty {
            try conversion.convert(Array(rest.prefix(chunk))) { users.append($0) }
            rest = rest.dropFirst(chunk)
        }
        try conversion.finish()
        return users
    }

    private func user(_ members: String, names: [String: String] = [:]) throws -> ConvertedUser {
        let users = try convert("{\"users\": [\n{\(members)}]}", names: names)
        return try #require(users.count == 1 ? users[0] : nil)
    }

    private func ways(_ user: ConvertedUser) -> [String] {
        user.line?.identities.map { "\($0.provider ?? "") \($0.subject ?? "")" } ?? []
    }

    private static let google = """
        "localId": "u1", "email": "ada@gmail.com", "emailVerified": true, "displayName": "Ada [}] \\"L\\"",
        "photoUrl": "https://lh3.googleusercontent.com/a/x", "lastSignedInAt": "1714560000123",
        "createdAt": "1704067200000", "disabled": true, "customAttributes": "{\\"admin\\":true}",
        "providerUserInfo": [{"providerId": "google.com", "rawId": "1065", "email": "ada@gmail.com"}]
        """

    @Test("a user of Google keeps the subject, the profile and the times, and gets no role")
    func googleUser() throws {
        let user = try user(Self.google)
        let line = try #require(user.line)
        #expect(ways(user) == ["google 1065"] && user.losses.isEmpty && user.reference == "u1")
        #expect(line.email == .some("ada@gmail.com") && line.emailVerified == true)
        #expect(line.identities[0].emailVerified == true)
        #expect(line.nickname == "Ada [}] \"L\"" && line.avatarURL == "https://lh3.googleusercontent.com/a/x")
        #expect(line.createdAt == "2024-01-01T00:00:00.000Z" && line.lastLoginAt == "2024-05-01T10:40:00.123Z")
        #expect(line.status == "DISABLED" && line.role == nil)
        #expect(line.attributes == Attributes(canonical: #"{"admin":true}"#))
        let listed = #""localId":"u","phoneNumber":"+8613800138000","customClaims":{"b":1,"a":{}}"#
        #expect(try self.user(listed).line?.attributes == Attributes(canonical: #"{"a":{},"b":1}"#))
        let rules = ImportRules(permitsRoles: false, now: Timestamp(milliseconds: 1_760_000_000_000))
        #expect(throws: Never.self) { try line.checked(by: rules) }
    }

    @Test(
        "who signs in how, and who loses what",
        arguments: [
            (
                #""email":"A@x.de","emailVerified":true,"passwordHash":"h","salt":"s","providerUserInfo":[]"#,
                ["email a@x.de"], []
            ),
            (#""email":"a@x.de","emailVerified":false,"passwordHash":"h""#, [], ["password_without_verified_email"]),
            (#""email":"a@x.de","emailVerified":true,"providerUserInfo":[]"#, ["email a@x.de"], []),
            (#""phoneNumber":"+8613800138000""#, ["phone +8613800138000"], []),
            (#""phoneNumber":"+1""#, [], ["invalid_phone"]),
            (#""providerUserInfo":[]"#, [], ["anonymous"]),
            (
                #""email":"a@x.de","emailVerified":false,"providerUserInfo":[{"providerId":"apple.com","rawId":"001.a","email":"a@x.de"}]"#,
                ["apple 001.a"], []
            ),
            (
                #""email":"a@x.de","emailVerified":false,"passwordHash":"h","providerUserInfo":[{"providerId":"google.com","rawId":"1"}]"#,
                ["google 1"], ["password_without_verified_email"]
            ),
            (
                #""email":"a@x.de","emailVerified":false,"providerUserInfo":[{"providerId":"facebook.com","rawId":"1"}]"#,
                [], ["provider facebook.com", "password_without_verified_email"]
            ),
            (
                #""email":"a@x.de","emailVerified":true,"providerUserInfo":[{"providerId":"facebook.com","rawId":"1"}]"#,
                ["email a@x.de"], ["provider facebook.com"]
            ),
            (#""email":"é@x.de","emailVerified":true,"passwordHash":"h""#, [], ["invalid_email"]),
        ])
    func cases(members: String, ways expected: [String], losses: [String]) throws {
        let user = try user("\"localId\":\"u\"," + members)
        #expect(ways(user) == expected && user.losses.map(\.code) == losses && (user.line == nil) == expected.isEmpty)
    }

    @Test("another provider is taken under the name that the operator gives")
    func named() throws {
        let members = #""localId":"u","providerUserInfo":[{"providerId":"facebook.com","rawId":"9"}]"#
        #expect(try ways(user(members, names: ["facebook.com": "facebook"])) == ["facebook 9"])
    }

    /// `accounts:batchGet` of the REST API, and a list of the Admin SDK, which both have the accounts at Apple.
    @Test("what the REST API and the Admin SDK return is read as well")
    func otherForms() throws {
        let rest =
            #"{"kind":"x","users":[{"localId":"u","lastLoginAt":"1714560000123","providerUserInfo":[{"providerId":"apple.com","rawId":"001","federatedId":"001"}]}],"nextPageToken":"[t]"}"#
        #expect(try convert(rest).map(ways) == [["apple 001"]])
        let sdk =
            #"[{"uid":"u","emailVerified":true,"providerData":[{"uid":"1065","providerId":"google.com"}]},{"uid":"v","phoneNumber":"+8613800138000"}]"#
        #expect(try convert(sdk, chunk: 7).map(ways) == [["google 1065"], ["phone +8613800138000"]])
    }

    /// The exporter of the Firebase command escapes neither quotes nor line ends, so that the second user is the name of the
    /// first one.
    @Test("CSV is refused, and gives no user")
    func commaSeparated() throws {
        let rest = String(repeating: ",", count: 20)
        let text = "u1,a@x.de,true,,,x\",,SUBJECT,\nu2,victim@x.de,true,,,Eve,,1065\(rest)\n"
        for text in [text, "\u{FEFF}" + text, "\n " + text, "\"u1\",a", "id,email\n", "#[]"] {
            var conversion = FirebaseConversion()
            var users = 0
            #expect(throws: FirebaseConversion.Fault.notJSON) {
                try conversion.convert(Array(text.utf8)) { _ in users += 1 }
            }
            #expect(users == 0)
        }
    }

    @Test("a file that ends early, is empty or has something else is refused")
    func faults() throws {
        #expect(throws: FirebaseConversion.Fault.unfinished) { try convert("{\"users\": [{\(Self.google)}") }
        #expect(throws: FirebaseConversion.Fault.unfinished) { try convert("{\"users\": {}}") }
        #expect(throws: FirebaseConversion.Fault.empty) { try convert("") }
        #expect(throws: FirebaseConversion.Fault.invalid(2)) { try convert("[{\"localId\":\"a\"},{x}]") }
        #expect(throws: FirebaseConversion.Fault.empty) { try convert(" \n") }
    }
}

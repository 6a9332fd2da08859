import Gatehouse
import Testing

@Suite("A line of an import")
struct UserLineTests {
    private static let now = Timestamp(milliseconds: 1_760_000_000_000)

    private struct Mistake: Sendable {
        let member: String
        let change: @Sendable (inout UserLine) -> Void

        init(_ member: String, _ change: @escaping @Sendable (inout UserLine) -> Void) {
            self.member = member
            self.change = change
        }
    }

    private func line(_ change: (inout UserLine) -> Void = { _ in }) -> UserLine {
        var line = UserLine()
        line.identities = [identity("apple", "001")]
        change(&line)
        return line
    }

    private func identity(
        _ provider: String?, _ subject: String?, email: String? = nil, isVerified: Bool? = nil
    ) -> IdentityLine {
        var identity = IdentityLine()
        (identity.provider, identity.subject) = (provider, subject)
        (identity.email, identity.emailVerified) = (email, isVerified)
        return identity
    }

    private func checked(_ line: UserLine, permitsRoles: Bool = false) throws(LineFaults) -> ImportedUser {
        try line.checked(by: ImportRules(permitsRoles: permitsRoles, now: Self.now))
    }

    private func faults(_ change: (inout UserLine) -> Void) -> [String] {
        do throws(LineFaults) {
            _ = try checked(line(change))
            return []
        } catch {
            return error.faults.map { $0.member ?? "" }
        }
    }

    @Test("needs one identity, and what it leaves out has a value that gives no rights")
    func least() throws {
        let user = try checked(line())
        #expect(user.identities.map(\.identity.subject) == ["001"])
        #expect(user.id == nil && user.email == nil && !user.emailVerified && user.createdAt == Self.now)
        #expect(user.role == .user && user.status == .active && user.lastLoginAt == nil)
        #expect(faults { $0.identities = [] } == ["identities"])
    }

    @Test("phone is an identity, and equal ones count once")
    func phone() throws {
        let user = try checked(
            line { line in
                line.phone = "+86 138 0013 8000"
                line.identities.append(identity("phone", "+8613800138000"))
            })
        #expect(user.identities.map(\.identity.provider) == [.apple, .phone])
        #expect(user.identities.map(\.identity.subject) == ["001", "+8613800138000"])
        #expect(faults { ($0.identities, $0.phone) = ([], "+8613800138000") } == [])
        let two = faults { line in
            line.phone = "+8613800138001"
            line.identities = [identity("phone", "+8613800138000")]
        }
        #expect(two == ["phone"])
    }

    @Test("an identity of the provider email is a proven address in lower case")
    func email() throws {
        let user = try checked(line { $0.identities = [identity("email", "Ada@Example.com")] })
        #expect(user.identities.map(\.identity.subject) == ["ada@example.com"])
        #expect(user.email == "ada@example.com" && user.emailVerified)
        #expect(
            faults { $0.identities = [identity("email", "a@example.com", isVerified: false)] }
                == ["identities[0].emailVerified"])
    }

    @Test("a line without email takes the first verified address of its identities, and null means none")
    func addresses() throws {
        let identities = [
            identity("apple", "1", email: "a@example.com", isVerified: false),
            identity("google", "2", email: "b@example.com", isVerified: true),
        ]
        let derived = try checked(line { $0.identities = identities })
        #expect(derived.email == "b@example.com" && derived.emailVerified)
        let none = try checked(line { ($0.identities, $0.email) = (identities, .some(nil)) })
        #expect(none.email == nil && !none.emailVerified)
        let other = try checked(line { ($0.identities, $0.email) = (identities, .some("C@Example.com")) })
        #expect(other.email == "C@Example.com" && !other.emailVerified)
    }

    @Test("a role other than USER needs permission")
    func roles() throws {
        #expect(faults { $0.role = "ADMIN" } == ["role"])
        #expect(try checked(line { $0.role = "ADMIN" }, permitsRoles: true).role == .admin)
        #expect(try checked(line { $0.role = "USER" }).role == .user)
    }

    @Test(
        "a value that is not valid is named, and never repeated",
        arguments: [
            Mistake("id") { $0.id = "user_1" }, Mistake("id") { $0.id = "user_81J00000000000000000000000" },
            Mistake("id") { $0.id = "sess_01J00000000000000000000000" },
            Mistake("ref") { $0.reference = String(repeating: "x", count: 129) },
            Mistake("email") { $0.email = "secret at example" }, Mistake("emailVerified") { $0.emailVerified = true },
            Mistake("emailVerified") { ($0.email, $0.emailVerified) = (.some(nil), true) },
            Mistake("nickname") { $0.nickname = "se\u{7}cret" },
            Mistake("nickname") { $0.nickname = String(repeating: "é", count: 201) },
            Mistake("avatarUrl") { $0.avatarURL = "http://secret.example" }, Mistake("role") { $0.role = "secret" },
            Mistake("status") { $0.status = "DELETED" }, Mistake("status") { $0.status = "secret" },
            Mistake("createdAt") { $0.createdAt = "secret" },
            Mistake("createdAt") { $0.createdAt = "2999-01-01T00:00:00Z" },
            Mistake("createdAt") { $0.createdAt = "1969-12-31T23:59:59Z" },
            Mistake("lastLoginAt") { $0.lastLoginAt = "2024-02-30T00:00:00Z" },
            Mistake("phone") { $0.phone = "138secret" }, Mistake("phone") { $0.phone = "13800138000" },
            Mistake("identities[0].provider") { $0.identities[0].provider = nil },
            Mistake("identities[0].provider") { $0.identities[0].provider = "APPLE ID" },
            Mistake("identities[0].passkeys") { $0.identities[0].provider = "passkey" },
            Mistake("identities[0].passkeys") {
                $0.identities[0].passkeys = [PasskeyLine(credentialID: [1], publicKey: [2], algorithm: -7)]
            },
            Mistake("identities[0].passkeys") {
                let passkey = PasskeyLine(credentialID: [1], publicKey: [2], algorithm: -7)
                $0.identities[0].provider = "passkey"
                $0.identities[0].passkeys = Array(repeating: passkey, count: 21)
            },
            Mistake("identities[0].passkeys[0].signCount") {
                $0.identities[0].provider = "passkey"
                $0.identities[0].passkeys = [PasskeyLine(credentialID: [1], publicKey: [2], algorithm: -7)]
                $0.identities[0].passkeys[0].signCount = 1 << 32
            },
            Mistake("identities[0].subject") { $0.identities[0].subject = nil },
            Mistake("identities[0].subject") { $0.identities[0].subject = "" },
            Mistake("identities[0].subject") { $0.identities[0].subject = "se\0cret" },
            Mistake("identities[0].subject") { $0.identities[0].subject = String(repeating: "x", count: 256) },
            Mistake("identities[0].email") { $0.identities[0].email = "secret" },
            Mistake("identities[0].linkedAt") { $0.identities[0].linkedAt = "secret" },
            Mistake("identities[0].transferSub") {
                ($0.identities[0].provider, $0.identities[0].transferSubject) = ("google", "T")
            },
        ])
    private func invalid(mistake: Mistake) {
        let line = line(mistake.change)
        #expect { try checked(line) } throws: { error in
            guard let faults = (error as? LineFaults)?.faults else { return false }
            return faults.map(\.member) == [mistake.member] && !faults[0].sentence.contains("secret")
        }
    }

    @Test("all faults of a line are found at once")
    func several() {
        let found = faults { line in
            line.role = "ADMIN"
            line.status = "x"
            line.identities.append(identity("apple", "002"))
        }
        #expect(found == ["identities[1].provider", "role", "status"])
    }

    @Test(
        "times are read with a zone, in the forms of RFC 3339 and of PostgreSQL",
        arguments: [
            ("2026-11-21T10:00:00Z", "2026-11-21T10:00:00.000Z"),
            ("2026-11-21T10:00:00.5Z", "2026-11-21T10:00:00.500Z"),
            ("2026-11-21 10:00:00.123456+00", "2026-11-21T10:00:00.123Z"),
            ("2026-11-21T12:00:00+02:00", "2026-11-21T10:00:00.000Z"),
            ("2026-01-01T00:30:00+05:30", "2025-12-31T19:00:00.000Z"), ("2026-11-21T10:00:00", nil),
            ("2026-11-21", nil), ("2026-11-21T10:00:00.Z", nil), ("2026-02-29T10:00:00Z", nil),
            ("2026-11-21T24:00:00Z", nil), ("2026-11-21T10:00:00Zx", nil), ("", nil), ("２026-11-21T10:00:00Z", nil),
        ])
    func times(text: String, expected: String?) {
        #expect(Timestamp(imported: text)?.description == expected)
    }
}

import Gatehouse
import Testing
import UserFiles

@Suite("The lines of a file of users")
struct LineTests {
    private static let rules = ImportRules(permitsRoles: true, now: Timestamp(milliseconds: 1_760_000_000_000))

    private func lines(_ chunks: [String]) -> [String] {
        var (splitter, lines) = (LineSplitter(), [String]())
        func add(_ line: LineSplitter.Line) {
            if case .bytes(let bytes) = line {
                lines.append(String(decoding: bytes, as: UTF8.self))
            } else {
                lines.append("!")
            }
        }
        for chunk in chunks { splitter.split(Array(chunk.utf8), add) }
        splitter.finish(add)
        return lines
    }

    @Test("a file is split at line ends wherever its parts end, also with a byte order mark and carriage returns")
    func splitting() {
        #expect(lines(["\u{FEFF}a\r", "\nb", "c\n", "\nd"]) == ["a", "bc", "", "d"])
        #expect(lines(["a\n"]) == ["a"] && lines([]).isEmpty)
    }

    @Test("a line that is too long is skipped, and the next one is read")
    func long() {
        let limit = String(repeating: "x", count: LineSplitter.longestLine)
        #expect(lines([limit, "\r\n", limit, "y\nz"]) == [limit, "!", "z"])
        #expect(lines([limit + limit, limit, "\nz\n", limit + "y"]) == ["!", "z", "!"])
    }

    private func read(_ text: String) -> (user: ImportedUser?, faults: [String], line: ReadLine) {
        var line = ReadLine(.bytes(Array(text.utf8)))
        let user = line.user(by: Self.rules)
        return (user, line.faults.map(\.sentence), line)
    }

    /// A COSE_Key of ES256: the generator of P-256.
    private static let key =
        "pQECAyYgASFYIGsX0fLhLEJH-Lzm5WOkQPJ3A32BLeszoPShOUXYmMKWIlggT-NC4v4af5uO5-tKfA-eFivOM1drMV7Oy7ZAaDe_UfU"

    @Test(
        "a passkey needs an id and a key of a known algorithm, as bytes",
        arguments: [
            (#"{"credentialId":"AQ","publicKey":"KEY"}"#, nil),
            (#"{"credentialId":"AQ==","publicKey":"KEY=","signCount":7,"aaguid":"AAE"}"#, nil),
            (#"{"publicKey":"KEY"}"#, "credentialId must be 1 to 1023 bytes in base64url or base64"),
            (
                #"{"credentialId":"A!","publicKey":"KEY"}"#,
                "credentialId must be 1 to 1023 bytes in base64url or base64"
            ),
            (#"{"credentialId":"AQ"}"#, "publicKey must be 1 to 4096 bytes in base64url or base64"),
            (
                #"{"credentialId":"AQ","publicKey":"AQ"}"#,
                "publicKey must be a COSE_Key of ES256, EdDSA or RS256, in base64 or base64url"
            ),
            (#"{"credentialId":"AQ","publicKey":"KEY","signCount":"7"}"#, "signCount must be a number"),
            (#"{"credentialId":"AQ","publicKey":"KEY","signCount":-1}"#, "signCount must be a number of 32 bits"),
        ] as [(String, String?)])
    func passkeys(text: String, fault: String?) {
        let passkey = text.replacing("KEY", with: Self.key)
        let (user, faults, line) = read(
            #"{"identities":[{"provider":"passkey","subject":"AAEC","passkeys":[\#(passkey)]}]}"#)
        let place = "identities[0].passkeys[0]."
        #expect(faults.first == fault.map { place + $0 }, "\(faults)")
        #expect((user?.identities.first?.passkeys.first?.credentialID == [1]) == (fault == nil))
        #expect(!line.hasUnknownMembers)
    }

    @Test(
        "a member of another type is named once",
        arguments: [
            (#"{"identities":{}}"#, "identities must be an array"),
            (#"{"identities":[1]}"#, "identities[0] must be an object"),
            (#"{"identities":[{"provider":"apple","subject":1}]}"#, "identities[0].subject must be a string"),
            (
                #"{"identities":[{"provider":"apple","subject":"1"}],"emailVerified":"yes"}"#,
                "emailVerified must be true or false"
            ),
            (#"{"identities":[{"provider":"apple","subject":"1"}],"createdAt":5}"#, "createdAt must be a string"),
            (#"[]"#, "the line must be a JSON object"), ("nonsense", "the line is not valid JSON at byte 1"),
            (#"{"ref":"a","ref":"b"}"#, "the line is an object has two members with the same name"),
        ])
    func types(text: String, fault: String) {
        let (user, faults, _) = read(text)
        #expect(user == nil && faults.first == fault, "\(faults)")
    }

    @Test("invalid UTF-8 is a fault of its line, and no text of a line is in a fault")
    func encoding() {
        var line = ReadLine(.bytes(Array(#"{"ref":"secret"#.utf8) + [0xFF] + Array(#""}"#.utf8)))
        #expect(line.user(by: Self.rules) == nil && line.faults.count == 1)
        #expect(!line.faults[0].sentence.contains("secret"))
        var long = ReadLine(.tooLong)
        #expect(long.user(by: Self.rules) == nil && long.faults.count == 1)
    }

    @Test("transferSub may be written as Apple writes it, a reference may be a number, and unknown members are told")
    func forms() throws {
        let (user, faults, line) = read(
            #"{"ref":7,"identities":[{"provider":"apple","subject":"1","transfer_sub":"T"}],"name":"x"}"#)
        #expect(faults.isEmpty && line.hasUnknownMembers && user?.reference == "7")
        #expect(user?.identities.first?.identity.transferSubject == "T")
    }

    @Test("a written line is read as it was")
    func roundTrip() throws {
        var identity = IdentityLine()
        (identity.provider, identity.subject, identity.transferSubject) = ("apple", "1\"ü", "T")
        (identity.email, identity.emailVerified, identity.isPrivateEmail) = ("a@example.com", true, false)
        (identity.unionSubject, identity.linkedAt) = ("U", "2024-05-01T10:00:00.000Z")
        var line = UserLine()
        (line.id, line.reference) = ("user_01J00000000000000000000000", "r")
        line.identities = [identity]
        (line.email, line.emailVerified, line.phone) = (.some(nil), false, "+8613800138000")
        (line.nickname, line.avatarURL) = ("Ada\n", "https://example.com/a")
        (line.role, line.status, line.onboardingCompleted) = ("ADMIN", "DISABLED", true)
        (line.createdAt, line.lastLoginAt) = ("2024-05-01T10:00:00.000Z", "2024-05-02T10:00:00.000Z")
        let written = line.written
        #expect(written.last == UInt8(ascii: "\n") && written.dropLast().allSatisfy { $0 != UInt8(ascii: "\n") })
        #expect(ReadLine(.bytes(written.dropLast())).line == line)
    }
}

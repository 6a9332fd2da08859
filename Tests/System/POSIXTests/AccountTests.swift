import Testing

@testable import FileSystem

@Suite("Accounts and file permissions")
struct AccountTests {
    private static let ann = Account(name: "ann", id: 7, groups: [70, 71])

    @Test(
        "the first matching class of owner, group and others decides",
        arguments: [
            (mode: 0o600, owner: 7, group: 1, isAllowed: true), (mode: 0o060, owner: 7, group: 71, isAllowed: false),
            (mode: 0o006, owner: 7, group: 1, isAllowed: false), (mode: 0o060, owner: 1, group: 70, isAllowed: true),
            (mode: 0o060, owner: 1, group: 71, isAllowed: true), (mode: 0o606, owner: 1, group: 70, isAllowed: false),
            (mode: 0o006, owner: 1, group: 1, isAllowed: true), (mode: 0o660, owner: 1, group: 1, isAllowed: false),
            (mode: 0o4777, owner: 1, group: 1, isAllowed: true), (mode: 0, owner: 7, group: 70, isAllowed: false),
        ] as [(mode: UInt32, owner: UInt32, group: UInt32, isAllowed: Bool)])
    func permissions(mode: UInt32, owner: UInt32, group: UInt32, isAllowed: Bool) {
        let status = FileStatus(kind: .file, mode: mode, owner: owner, group: group)
        #expect(status.permits(.read, to: Self.ann) == isAllowed)
        #expect(status.permits(.write, to: Self.ann) == isAllowed)
        #expect(status.permits(.write, to: Account(name: "root", id: 0, groups: [])))
    }

    @Test("accounts are read from passwd and group, invalid lines are skipped")
    func accounts() {
        let book = UserDatabase(
            users: "root:x:0:0:root:/root:/bin/sh\n\n+nis\nann:x:7:70:Ann\nbad:x:y:z\n",
            groups: "root:x:0:\nstaff:x:70:\nwheel:x:71:bob,ann\nnobody\n")
        #expect(book.account(named: "ann") == Self.ann)
        #expect(book.account(named: "bad") == nil)
        #expect(book.account(of: 12) == Account(name: "12", id: 12, groups: []))
        #expect(book.ownership(of: FileStatus(kind: .file, mode: 0o40, owner: 7, group: 71)) == "ann:wheel 0040")
        #expect(book.ownership(of: FileStatus(kind: .file, mode: 0o4755, owner: 8, group: 9)) == "8:9 4755")
    }
}

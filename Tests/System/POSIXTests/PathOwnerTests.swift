import Glibc
import POSIX
import TestSupport
import Testing

@testable import FileSystem

@Suite("PathOwner", .enabled(if: geteuid() == 0, "only root can change the owner of files"))
struct PathOwnerTests {
    private static let ann: (user: uid_t, group: gid_t) = (12_345, 54_321)
    private let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
        chmod(folder.path, 0o755)
        for name in ["roots", "roots/inner", "anns", "anns/roots"] { try File.makeDirectory(folder.file(name)) }
        for name in ["roots/file", "roots/anns", "anns/roots/file"] { _ = try File.create(folder.file(name), with: []) }
        for name in ["anns", "roots/anns"] { chown(folder.file(name), Self.ann.user, Self.ann.group) }
    }

    /// The user Ann as owner of a file or folder.
    private func ann(_ place: String) -> PathOwner {
        PathOwner(user: Self.ann.user, group: Self.ann.group, place: folder.file(place))
    }

    private func owner(_ name: String) throws -> PathOwner { try PathOwner.ofFile(at: folder.file(name)) }

    @Test("is the owner of the first component that does not belong to root")
    func owners() throws {
        for name in ["roots/file", "roots/missing", "roots/inner/../file", "roots//./file"] {
            #expect(try owner(name) == .root, "\(name)")
        }
        for name in ["anns/file", "anns/missing", "anns/no/where", "anns/roots/file", "anns/../roots/file"] {
            #expect(try owner(name) == ann("anns"), "\(name)")
        }
        #expect(try owner("roots/anns") == ann("roots/anns"))
        #expect(try PathOwner.ofPlace(at: folder.file("roots/anns")) == .root, "root controls the folder")
        #expect(try PathOwner.ofPlace(at: folder.file("anns/file")) == ann("anns"))
        #expect(try PathOwner.ofFolder(at: folder.file("roots")) == .root)
        #expect(try PathOwner.ofFolder(at: folder.file("anns")) == ann("anns"))
        #expect(throws: PathOwner.Fault.self) { try owner("no/where") }
        #expect(throws: PathOwner.Fault.self) { try owner("roots/file/x") }
    }

    @Test("links of root are followed; of another link it is the owner")
    func links() throws {
        for (target, name) in [
            ("roots", "to-roots"), ("to-roots", "to-link"), (folder.file("anns"), "to-anns"), ("loop", "loop"),
            ("roots", "anns-own"), ("roots/file", "to-file"),
        ] { #expect(symlink(target, folder.file(name)) == 0) }
        lchown(folder.file("anns-own"), Self.ann.user, Self.ann.group)
        for name in ["to-roots/file", "to-link/file", "to-file", "roots/../to-link/inner/../file"] {
            #expect(try owner(name) == .root, "\(name)")
        }
        #expect(try owner("to-anns/roots/file") == ann("anns"))
        #expect(try owner("anns-own/file") == ann("anns-own"))
        #expect(try PathOwner.ofPlace(at: folder.file("anns-own")) == ann("anns-own"))
        #expect(throws: PathOwner.Fault.system(POSIXError("open \(folder.path)", code: ELOOP))) { try owner("loop/x") }
    }

    @Test("other users with write access to a folder of root are an error")
    func open() throws {
        let shared = folder.file("roots")
        for mode in [0o777, 0o757, 0o1777] as [mode_t] {
            chmod(shared, mode)
            for name in ["file", "missing"] {
                #expect(throws: PathOwner.Fault.isOpen(folder: shared), "\(name)") { try owner("roots/" + name) }
            }
            #expect(throws: PathOwner.Fault.isOpen(folder: shared)) { try PathOwner.ofFolder(at: shared) }
            #expect(throws: PathOwner.Fault.isOpen(folder: shared)) { try PathOwner.ofPlace(at: shared + "/anns") }
        }
        // In a sticky folder other users cannot replace files of root.
        #expect(try owner("roots/inner/file") == .root)
        chmod(shared, 0o777)
        #expect(throws: PathOwner.Fault.isOpen(folder: shared)) { try owner("roots/inner/file") }
        chmod(shared, 0o775)
        #expect(try owner("roots/file") == .root, "root's group")
        chown(shared, 0, 50)
        #expect(throws: PathOwner.Fault.isOpen(folder: shared)) { try owner("roots/file") }
    }
}

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

@Suite("File.readRegular")
struct RegularFileTests {
    @Test("reads a regular file, also through a link")
    func file() throws {
        let folder = try TemporaryFolder()
        _ = try File.create(folder.file("file"), with: Array("content".utf8))
        #expect(symlink("file", folder.file("link")) == 0)
        for name in ["file", "link"] { #expect(try File.readRegular(folder.file(name)) == Array("content".utf8)) }
        #expect(throws: POSIXError.self) { try File.readRegular(folder.file("file"), atMost: 6) }
    }

    @Test("rejects any other file without blocking", .timeLimit(.minutes(1)))
    func other() throws {
        let folder = try TemporaryFolder()
        #expect(mkfifo(folder.file("pipe"), 0o600) == 0)
        for path in [folder.file("pipe"), folder.path, "/dev/zero", "-", folder.file("nothing")] {
            #expect(throws: POSIXError.self, "\(path)") { try File.readRegular(path) }
        }
    }
}

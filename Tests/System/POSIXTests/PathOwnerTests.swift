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

import Foundation
import TestSupport
import Testing

/// The server's user owns the folder; root runs the commands of an operator.
@Suite("Commands of root on another user's database", .enabled(if: getuid() == 0))
struct RootTests {
    private static let user: uid_t = 23_456

    private func asUser(_ command: [String]) -> [String] {
        ["setpriv", "--reuid=\(Self.user)", "--regid=\(Self.user)", "--clear-groups"] + command
    }

    private func expectOwned(_ fixture: BackupFixture) throws {
        for name in try FileManager.default.contentsOfDirectory(atPath: fixture.home) {
            let owner = try FileManager.default.attributesOfItem(atPath: fixture.home + "/" + name)
            #expect(owner[.ownerAccountID] as? Int == Int(Self.user), "\(name)")
            #expect(owner[.groupOwnerAccountID] as? Int == Int(Self.user), "\(name)")
        }
    }

    @Test("create files of the owner: migrate, backup, restore and check")
    func ownership() throws {
        let fixture = try BackupFixture()
        let backup = try fixture.backUp()
        for name in try FileManager.default.contentsOfDirectory(atPath: fixture.home) {
            try FileManager.default.removeItem(atPath: fixture.home + "/" + name)
        }
        chmod(fixture.tool.folder.path, 0o755)
        chown(fixture.home, Self.user, Self.user)
        #expect(try fixture.run("migrate").status == 0)
        try expectOwned(fixture)
        #expect(try fixture.run("restore", backup).status == 0)
        #expect(try fixture.run("users", "disable", "user_ann").status == 0)
        #expect(try fixture.run("backup", fixture.home + "/x.db").status == 0)
        #expect(try fixture.run("restore", fixture.home + "/x.db").status == 0)
        try expectOwned(fixture)
        // Files that a server of root creates beside the database belong to the owner, too.
        let server = try fixture.tool.start(["serve"], fixture.tool.settings(fixture.environment))
        #expect(Eventually.holds { FileManager.default.fileExists(atPath: fixture.database + "-sign") })
        try expectOwned(fixture)
        server.stop()
        #expect(try fixture.run("users", "list", through: asUser([])).status == 0)
        #expect(try fixture.run("users", "enable", "user_ann", through: asUser([])).status == 0)
        #expect(try fixture.run("restore", fixture.home + "/x.db", through: asUser([])).status == 0)
    }
}

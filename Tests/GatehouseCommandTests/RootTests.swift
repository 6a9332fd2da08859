import Foundation
import TestSupport
import Testing

/// The server's user has the folder; root does what operators do by hand.
@Suite("What root does to somebody's database", .enabled(if: getuid() == 0))
struct RootTests {
    private static let user: uid_t = 23_456

    private func asUser(_ command: [String]) -> [String] {
        ["setpriv", "--reuid=\(Self.user)", "--regid=\(Self.user)", "--clear-groups"] + command
    }

    private func expectOwned(_ stand: BackupStand) throws {
        for name in try FileManager.default.contentsOfDirectory(atPath: stand.home) {
            let owner = try FileManager.default.attributesOfItem(atPath: stand.home + "/" + name)
            #expect(owner[.ownerAccountID] as? Int == Int(Self.user), "\(name)")
            #expect(owner[.groupOwnerAccountID] as? Int == Int(Self.user), "\(name)")
        }
    }

    @Test("belongs to them: a database that was made, backed up, restored and looked at")
    func ownership() throws {
        let stand = try BackupStand()
        let backup = try stand.backUp()
        for name in try FileManager.default.contentsOfDirectory(atPath: stand.home) {
            try FileManager.default.removeItem(atPath: stand.home + "/" + name)
        }
        chmod(stand.tool.folder.path, 0o755)
        chown(stand.home, Self.user, Self.user)
        #expect(try stand.run("migrate").status == 0)
        try expectOwned(stand)
        #expect(try stand.run("restore", backup).status == 0)
        #expect(try stand.run("users", "disable", "user_ann").status == 0)
        #expect(try stand.run("backup", stand.home + "/x.db").status == 0)
        #expect(try stand.run("restore", stand.home + "/x.db").status == 0)
        try expectOwned(stand)
        // What a server that root starts makes beside the database is theirs, too.
        let server = try stand.tool.start(["serve"], stand.tool.settings(stand.environment))
        #expect(Eventually.holds { FileManager.default.fileExists(atPath: stand.database + "-sign") })
        try expectOwned(stand)
        server.stop()
        #expect(try stand.run("users", "list", through: asUser([])).status == 0)
        #expect(try stand.run("users", "enable", "user_ann", through: asUser([])).status == 0)
        #expect(try stand.run("restore", stand.home + "/x.db", through: asUser([])).status == 0)
    }
}

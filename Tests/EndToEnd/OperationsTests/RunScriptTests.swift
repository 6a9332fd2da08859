import Foundation
import TestSupport
import Testing

@testable import ServerSupport

/// Runs `deploy/run` in a checkout without sources, so that it stops after it has created the data folder.
@Suite("The data folder of deploy/run as root", .enabled(if: geteuid() == 0, "only root can be misled"))
struct RunScriptTests {
    private static let (owner, other): (uid_t, uid_t) = (65_534, 12_345)

    private let folder: TemporaryFolder
    private var secret: String { folder.file("secret") }

    init() throws {
        folder = try TemporaryFolder()
        chmod(folder.path, 0o755)
        for name in ["checkout/deploy/lib", "others", "roots", "secret"] {
            try FileManager.default.createDirectory(atPath: folder.file(name), withIntermediateDirectories: true)
        }
        // By another program: this process starts others, which would hold the script open for writing for a moment, and
        // such a file cannot be executed.
        for name in ["deploy/run", "deploy/lib/run", "deploy/lib/needs-debian"] {
            try Shell.run(["cp", "-r", Executable.root + "/" + name, folder.file("checkout/" + name)])
        }
        for name in ["checkout", "checkout/deploy"] { chown(folder.file(name), Self.owner, Self.owner) }
        chown(folder.file("others"), Self.other, Self.other)
    }

    private func run(data name: String? = nil) throws -> Shell.Outcome {
        let port = UInt16.random(in: 20_000..<30_000)
        let ports = ["--port", "\(port)", "--apple-port", "\(port + 1)"]
        let data = name.map { ["--data", folder.file($0)] } ?? []
        return try Shell.outcome(of: ["/usr/bin/timeout", "60", folder.file("checkout/deploy/run")] + ports + data)
    }

    private func expectCreated(_ name: String, by user: uid_t, _ outcome: Shell.Outcome) throws {
        #expect(outcome.status != 2, "\(outcome.errorOutput)")
        for part in ["", "/logs", "/secrets"] {
            let attributes = try FileManager.default.attributesOfItem(atPath: folder.file(name) + part)
            #expect(attributes[.ownerAccountID] as? Int == Int(user), "\(name)\(part): \(outcome.errorOutput)")
        }
    }

    @Test("The folder is created where only root and the owner of the checkout control the path")
    func trustedPath() throws {
        try expectCreated("checkout/.run", by: Self.owner, try run())
        try expectCreated("checkout/.run", by: Self.owner, try run())
        try expectCreated("roots/new/data", by: 0, try run(data: "roots/new/data"))
        #expect(symlink("roots", folder.file("link")) == 0)
        try expectCreated("roots/linked", by: 0, try run(data: "link/linked"))
        chmod(folder.file("roots"), 0o1777)
        try expectCreated("roots/sticky", by: 0, try run(data: "roots/sticky"))
    }

    @Test("The folder is created in the checkout even if another user owns the parent folder")
    func foreignParentFolder() throws {
        for (user, mode) in [(Self.other, 0o755), (0, 0o777)] as [(uid_t, mode_t)] {
            chown(folder.path, user, user)
            chmod(folder.path, mode)
            try expectCreated("checkout/.run", by: Self.owner, try run())
        }
    }

    @Test(
        "The folder is refused where another user controls the path, and nothing is written",
        arguments: [
            "others", "others/new", "others/link", "others/link/new", "direct", "through/link", "open/x", "roots",
        ])
    func refused(name: String) throws {
        #expect(symlink(secret, folder.file("others/link")) == 0)
        #expect(symlink("others", folder.file("through")) == 0)
        #expect(symlink(folder.file("others/link"), folder.file("direct")) == 0)
        try FileManager.default.createDirectory(atPath: folder.file("open"), withIntermediateDirectories: true)
        chmod(folder.file("open"), 0o777)
        chmod(folder.file("roots"), 0o1777)
        let outcome = try run(data: name)
        #expect(outcome.status == 2 && outcome.errorOutput.contains("--data"), "\(outcome.errorOutput)")
        for name in ["secret", "roots", "open"] {
            #expect(try FileManager.default.contentsOfDirectory(atPath: folder.file(name)).isEmpty)
        }
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.file("others")) == ["link"])
    }
}

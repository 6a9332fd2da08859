import Foundation
import TestSupport

/// Litestream with the shipped configuration, which replicates an installation to an SFTP server.
final class ReplicationFixture {
    static let program = Executable.root + "/.build/python/bin/litestream"
    static let isPossible = FileManager.default.isExecutableFile(atPath: program)

    let server: SFTPServer
    private let installation: FastCGIInstallation
    private let configuration: String
    private var process: ChildProcess?

    init(of installation: FastCGIInstallation) throws {
        self.installation = installation
        server = try SFTPServer()
        configuration = installation.folder.file("litestream.yml")
        try adapted().write(toFile: configuration, atomically: true, encoding: .utf8)
        try start()
    }

    /// The shipped configuration with the paths and the server of this test.
    private func adapted() throws -> String {
        let shipped = Executable.root + "/deploy/replication/litestream.yml"
        var text = try String(contentsOfFile: shipped, encoding: .utf8)
        for (old, new) in [
            ("/var/lib/gatehouse/gatehouse.db", installation.database),
            ("backup.example.com:22", "127.0.0.1:\(server.port)"),
            ("host-key: ssh-ed25519 AAAA...", "host-key: \(server.hostKey)"),
            ("user: gatehouse", "user: \(NSUserName())"),
            ("path: /gatehouse", "path: \(server.store)/gatehouse"),
        ] {
            guard text.contains(old) else { throw Spawn.Failure(description: "litestream.yml does not contain \(old)") }
            text = text.replacingOccurrences(of: old, with: new)
        }
        return text
    }

    private var environment: [String: String] { ["CREDENTIALS_DIRECTORY": server.credentials] }

    func start() throws {
        process = try ChildProcess(
            [Self.program, "replicate", "-config", configuration], environment: environment,
            log: installation.folder.file("litestream.log"))
        try waitForUploads(1)
    }

    func end(by signal: Int32) {
        process?.signal(signal)
        _ = process?.wait()
    }

    var log: String { process?.log ?? "" }

    /// Waits for this many uploads. A write that was committed before the first of them started is in the second.
    func waitForUploads(_ count: Int) throws {
        let before = server.uploadCount
        let isUploaded = Eventually.holds(within: 60) { server.uploadCount >= before + count }
        guard isUploaded else { throw Spawn.Failure(description: "no upload: \(log)") }
    }

    /// Downloads the replica into a file.
    func fetch(to path: String) throws {
        let outcome = try Shell.outcome(
            of: [Self.program, "restore", "-config", configuration, "-o", path, installation.database],
            environment: environment)
        guard outcome.status == 0 else { throw Spawn.Failure(description: outcome.errorOutput + outcome.text) }
    }
}

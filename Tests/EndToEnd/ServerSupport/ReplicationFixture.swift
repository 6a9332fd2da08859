import Foundation
import TestSupport

/// Litestream with the shipped configuration, which replicates a server to an SFTP server.
final class ReplicationFixture {
    static let program = Executable.root + "/.build/python/bin/litestream"
    static let isPossible = FileManager.default.isExecutableFile(atPath: program)

    let sftp: SFTPServer
    private let server: ServerProcess
    private let configuration: String
    private var process: ChildProcess?

    init(of server: ServerProcess) throws {
        self.server = server
        sftp = try SFTPServer()
        configuration = server.folder.file("litestream.yml")
        try adapted().write(toFile: configuration, atomically: true, encoding: .utf8)
        try start()
    }

    /// The shipped configuration with the paths and the server of this test.
    private func adapted() throws -> String {
        let shipped = Executable.root + "/deploy/replication/litestream.yml"
        var text = try String(contentsOfFile: shipped, encoding: .utf8)
        for (old, new) in [
            ("/var/lib/gatehouse/gatehouse.db", server.database),
            ("backup.example.com:22", "127.0.0.1:\(sftp.port)"),
            ("host-key: ssh-ed25519 AAAA...", "host-key: \(sftp.hostKey)"),
            ("user: gatehouse", "user: \(NSUserName())"),
            ("path: /gatehouse", "path: \(sftp.store)/gatehouse"),
        ] {
            guard text.contains(old) else { throw Spawn.Failure(description: "litestream.yml does not contain \(old)") }
            text = text.replacingOccurrences(of: old, with: new)
        }
        return text
    }

    private var environment: [String: String] { ["CREDENTIALS_DIRECTORY": sftp.credentials] }

    func start() throws {
        process = try ChildProcess(
            [Self.program, "replicate", "-config", configuration], environment: environment,
            log: server.folder.file("litestream.log"))
        try waitForUploads(1)
    }

    func end(by signal: Int32) {
        process?.signal(signal)
        _ = process?.wait()
    }

    var log: String { process?.log ?? "" }

    /// Waits for this many uploads. A write that was committed before the first of them started is in the second.
    func waitForUploads(_ count: Int) throws {
        let before = sftp.uploadCount
        let isUploaded = Eventually.holds(within: 60) { sftp.uploadCount >= before + count }
        guard isUploaded else { throw Spawn.Failure(description: "no upload: \(log)") }
    }

    /// Downloads the replica into a file.
    func fetch(to path: String) throws {
        let outcome = try Shell.outcome(
            of: [Self.program, "restore", "-config", configuration, "-o", path, server.database],
            environment: environment)
        guard outcome.status == 0 else { throw Spawn.Failure(description: outcome.errorOutput + outcome.text) }
    }
}

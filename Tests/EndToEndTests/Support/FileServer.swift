import Foundation
import POSIX
import TestSupport

/// Another machine, as far as SFTP can tell: a real sshd with keys of its own, and a folder to put files into.
final class FileServer: Sendable {
    let port: UInt16
    let store: String
    /// What who connects knows it by.
    let hostKey: String
    /// The folder with `replication_key`, which it lets in.
    let credentials: String
    private let folder: TemporaryFolder
    private let process: ChildProcess

    init() throws {
        folder = try TemporaryFolder()
        port = try FreePort.any()
        (store, credentials) = (folder.file("store"), folder.file("credentials"))
        for path in [store, credentials] {
            try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
        }
        let (host, client) = (folder.file("host_key"), credentials + "/replication_key")
        for key in [host, client] { try Shell.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", key]) }
        let written = try String(contentsOfFile: host + ".pub", encoding: .utf8)
        hostKey = written.split(separator: " ").prefix(2).joined(separator: " ")
        // Where sshd puts root's connections while they have not said who they are.
        if getuid() == 0 { try Shell.run(["install", "-d", "-m", "755", "/run/sshd"]) }
        let settings = [
            "Port=\(port)", "ListenAddress=127.0.0.1", "HostKey=\(host)", "AuthorizedKeysFile=\(client).pub",
            "PidFile=none", "StrictModes=no", "UsePAM=no", "PasswordAuthentication=no",
            "PermitRootLogin=prohibit-password", "Subsystem=sftp internal-sftp", "ForceCommand=internal-sftp",
        ]
        process = try ChildProcess(
            ["/usr/sbin/sshd", "-D", "-e", "-f", "/dev/null"] + settings.flatMap { ["-o", $0] }, environment: [:],
            log: folder.file("sshd.log"))
        let listens = Eventually.holds { process.log.contains("Server listening") }
        guard listens else { throw Spawn.Failure(description: "sshd does not listen: \(process.log)") }
    }

    /// How often something new has arrived.
    var arrivals: Int {
        (try? FileManager.default.contentsOfDirectory(atPath: store + "/gatehouse/ltx/0").count) ?? 0
    }

    deinit { process.stop() }
}

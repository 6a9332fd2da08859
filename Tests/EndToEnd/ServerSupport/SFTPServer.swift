import Foundation
import POSIX
import TestSupport

/// An sshd with its own keys and a folder for uploads.
final class SFTPServer: Sendable {
    let port: UInt16
    let store: String
    /// The public host key that clients verify.
    let hostKey: String
    /// The folder of the client's key, `replication_key`.
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
        // sshd needs this folder for unauthenticated connections when it runs as root.
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

    /// The number of uploaded files.
    var uploadCount: Int {
        (try? FileManager.default.contentsOfDirectory(atPath: store + "/gatehouse/ltx/0").count) ?? 0
    }

    deinit { process.stop() }
}

import Foundation
import TestSupport
import Testing

/// Whether a machine can be booted here.
enum Production {
    /// Nil where a machine can be booted.
    static let obstacle: String? = {
        guard geteuid() == 0 else { return "only root can boot a machine" }
        for tool in ["systemd-nspawn", "debootstrap", "nsenter"] where !isThere(tool) {
            return "there is no \(tool) here"
        }
        let namespaces = [
            "unshare", "--mount", "--pid", "--net", "--uts", "--ipc", "--fork", "mount", "-t", "tmpfs", "none", "/mnt",
        ]
        guard (try? Shell.run(namespaces)) != nil else { return "namespaces and mounts are not allowed here" }
        return nil
    }()

    static var canBoot: Bool { obstacle == nil }

    static var reason: Comment { "no machine can be booted: \(obstacle ?? "")" }

    private static func isThere(_ tool: String) -> Bool {
        ["/usr/bin/", "/usr/sbin/", "/bin/", "/sbin/"].contains {
            FileManager.default.isExecutableFile(atPath: $0 + tool)
        }
    }
}

/// The suites that boot machines. They run one after the other because of the memory that each machine needs.
@Suite("A booted Debian", .serialized, .needs(.bootedDebian), .enabled(if: Production.canBoot, Production.reason))
enum MachineTests {}

import Foundation
import TestSupport
import Testing

/// Whether a machine can be booted here at all.
enum Production {
    /// Nil where it can.
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

/// Everything that takes a machine: one after the other, since they would not fit beside each other.
@Suite("A bare Debian", .serialized, .enabled(if: Production.canBoot, Production.reason))
enum MachineTests {}

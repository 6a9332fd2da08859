import Foundation
import TestSupport
import Testing

@testable import ServerSupport

/// Compares the limits in the units with the needs of a running server.
@Suite("systemd units")
struct UnitFileTests {
    /// The last value of a setting in a unit file.
    private func value(_ name: String, in unit: String) throws -> String {
        let text = try String(contentsOfFile: Executable.root + "/systemd/" + unit, encoding: .utf8)
        let line = text.split(separator: "\n").last { $0.hasPrefix(name + "=") }
        return String(try #require(line, "\(name) in \(unit)").dropFirst(name.count + 1))
    }

    private func number(_ line: String, of process: pid_t) throws -> Int {
        let status = try String(contentsOfFile: "/proc/\(process)/status", encoding: .utf8)
        let words = try #require(status.split(separator: "\n").first { $0.hasPrefix(line + ":") })
        return Int(words.split { $0 == " " || $0 == "\t" }[1]) ?? -1
    }

    @Test(
        "Every unit that runs a program has a sandbox, forbids core dumps, and limits memory and tasks",
        arguments: [
            "gatehouse.service", "gatehouse-backup.service", "gatehouse-setup.service", "gatehouse-failed@.service",
        ])
    func sandbox(unit: String) throws {
        #expect(try value("LimitCORE", in: unit) == "0")
        #expect(try value("MemoryMax", in: unit).wholeMatch(of: /[0-9]+[MG]/) != nil)
        #expect(Int(try value("TasksMax", in: unit)) ?? 0 > 0)
        let isOn = [
            "PrivateDevices", "ProtectClock", "ProtectControlGroups", "ProtectHostname", "ProtectKernelLogs",
            "ProtectKernelModules", "ProtectKernelTunables", "RestrictNamespaces", "RestrictRealtime",
            "RestrictSUIDSGID", "LockPersonality",
        ]
        for name in isOn { #expect(try value(name, in: unit) == "yes", "\(name)") }
        #expect(try ["strict", "full"].contains(value("ProtectSystem", in: unit)))
        #expect(try ["yes", "read-only"].contains(value("ProtectHome", in: unit)))
        for capability in ["SYS_ADMIN", "SYS_PTRACE", "NET_ADMIN", "SYS_MODULE", "MKNOD"] {
            #expect(try !value("CapabilityBoundingSet", in: unit).contains(capability))
        }
        #expect(try value("SystemCallArchitectures", in: unit) == "native")
        #expect(try value("RestrictAddressFamilies", in: unit).hasPrefix("AF_UNIX"))
    }

    @Test("Units that use the clock start after it has been set, which they do not wait for for ever")
    func timeSynchronisation() throws {
        for unit in ["gatehouse.service", "gatehouse-backup.service"] {
            for setting in ["Wants", "After"] {
                #expect(try value(setting, in: unit).split(separator: " ").contains("time-sync.target"))
            }
        }
        let waiting = "systemd-time-wait-sync.service"
        #expect(try value("Wants", in: "time-sync.target.d/gatehouse.conf") == waiting)
        #expect(try value("TimeoutStartSec", in: waiting + ".d/gatehouse.conf") == "30s")
    }

    @Test("The limits allow the maximum number of workers")
    func maximumWorkers() throws {
        // 1024 is the maximum. A larger value is refused.
        let server = try ServerProcess { $0["WORKERS"] = "1024" }
        #expect(try server.send(.get("/api/users/me")).status == 401)
        var threads = 0
        #expect(
            Eventually.holds(within: 60) {
                threads = (try? number("Threads", of: server.process.identifier)) ?? 0
                return threads > 1024
            })
        #expect(try #require(Int(try value("TasksMax", in: "gatehouse.service"))) >= threads + 100)
        #expect(try value("MemoryMax", in: "gatehouse.service") == "1G")
        #expect(try number("VmRSS", of: server.process.identifier) < 256 << 10, "in KiB")
    }
}

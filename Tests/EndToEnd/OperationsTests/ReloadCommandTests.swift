import Foundation
import JSON
import TestSupport
import Testing

@testable import ServerSupport

/// The unit's ExecReload= runs this command.
@Suite("gatehouse reload")
struct ReloadCommandTests {
    private static let metric = "gatehouse_config_last_reload_successful"

    /// A server under a service manager with its settings in a file.
    private struct Fixture {
        let file: ConfigurationFile
        let server: ManagedServer

        init() throws {
            let file = try ConfigurationFile()
            server = try ManagedServer { file.take(&$0) }
            self.file = file
        }

        func reload(_ changes: [String: String?], of process: pid_t? = nil) throws -> Shell.Outcome {
            try file.write(changes)
            return try command("reload", String(process ?? server.process.identifier))
        }

        func command(_ words: String...) throws -> Shell.Outcome {
            try Shell.outcome(
                of: ["/usr/bin/timeout", "60", Executable.gatehouse] + words,
                environment: ["GATEHOUSE_CONFIG": file.path])
        }

        func metric() throws -> Double? {
            let text = String(decoding: try server.send(.get("/metrics")).body, as: UTF8.self)
            let line = text.split(separator: "\n").first { $0.hasPrefix(ReloadCommandTests.metric + " ") }
            return line.flatMap { Double($0.split(separator: " ").last ?? "") }
        }
    }

    @Test("The command returns once the new settings are in force")
    func returnsWhenDone() throws {
        let fixture = try Fixture()
        for number in 1...20 {
            let outcome = try fixture.reload(["ACCESS_TOKEN_TTL": "\(number)m"])
            #expect(outcome.status == 0 && outcome.errorOutput.isEmpty, "\(outcome.errorOutput)")
            #expect(
                try fixture.server.devLogin("ada@example.com").json["expiresIn"]?.integer == Int64(number) * 60)
        }
        #expect(try fixture.metric() == 1)
        let manager = fixture.server.manager
        // A command that waits for long sends its signal again.
        let areComplete = Eventually.holds {
            let reloads = manager.count(of: "RELOADING=1")
            return reloads >= 20 && manager.count(of: "READY=1") == reloads + 1
        }
        #expect(areComplete)
    }

    @Test("The command fails with every fault, and status and metric keep it until the next good reload")
    func refused() throws {
        let fixture = try Fixture()
        let outcome = try fixture.reload(["WORKERS": "Xmany", "ACCESS_TOKEN_TTL": "Xsoon"])
        #expect(outcome.status == 1)
        for fault in ["\n  WORKERS must be ", "\n  ACCESS_TOKEN_TTL must be "] {
            #expect(outcome.errorOutput.contains(fault), "\(outcome.errorOutput)")
        }
        #expect(!outcome.errorOutput.contains("Xmany"))
        #expect(try fixture.metric() == 0)
        #expect(try fixture.server.devLogin("ada@example.com").json["expiresIn"] == 900)
        let start = "settings refused at the last reload, the previous ones stay in force: WORKERS must be "
        #expect(Eventually.holds { fixture.server.manager.status.hasPrefix(start) })
        #expect(fixture.server.manager.status.contains("(and 1 more)"))
        // The periodic status line keeps the refusal.
        #expect(Eventually.holds { fixture.server.manager.status.contains("requests/s") })
        #expect(fixture.server.manager.status.hasPrefix(start))
        #expect(
            try fixture.command("check", "--offline").text.contains(/FAULT +reload +the server rejected the settings/))

        #expect(try fixture.reload([:]).status == 0)
        #expect(try fixture.metric() == 1)
        #expect(Eventually.holds { !fixture.server.manager.status.contains("refused") })
        #expect(Eventually.holds { fixture.server.manager.status.contains("requests/s") })
        #expect(try fixture.command("check", "--offline").text.contains(/ok +reload +the server accepted the settings/))
    }

    @Test("The command does not need LISTEN or the socket")
    func otherSocket() throws {
        let fixture = try Fixture()
        #expect(try fixture.reload(["LISTEN": "unix:/nowhere/at/all.sock"]).status == 0)
        #expect(try fixture.reload(["LISTEN": "nonsense"]).status == 1)
    }

    @Test("The command names the fault when there is no process, and sends no signal to another program")
    func wrongProcess() throws {
        let fixture = try Fixture()
        for word in ["0", "-1", "many", ""] {
            #expect(try fixture.command("reload", "--", word).status == 2, "\(word)")
        }
        let gone = try ChildProcess(["/bin/true"], environment: [:], log: "/dev/null")
        _ = gone.wait()
        let outcome = try fixture.reload([:], of: gone.identifier)
        #expect(outcome.status == 3 && outcome.errorOutput.contains("No such process"), "\(outcome.errorOutput)")
        let other = try ChildProcess(["sleep", "60"], environment: ["PATH": "/usr/bin:/bin"], log: "/dev/null")
        #expect(
            Eventually.holds {
                (try? String(contentsOfFile: "/proc/\(other.identifier)/comm", encoding: .utf8)) == "sleep\n"
            })
        let refused = try fixture.command("reload", "\(other.identifier)")
        #expect(
            refused.status == 2 && refused.errorOutput.contains("is not gatehouse: no signal was sent"),
            "\(refused.errorOutput)")
        #expect(other.exitStatus == nil)
    }

    @Test("The command refuses to signal another user's server as root", .enabled(if: getuid() == 0))
    func otherUser() throws {
        let other = try ChildProcess(
            ["setpriv", "--reuid=65534", "sleep", "60"], environment: ["PATH": "/usr/bin:/bin"], log: "/dev/null")
        let fixture = try Fixture()
        #expect(
            Eventually.holds {
                (try? fixture.command("reload", "\(other.identifier)").errorOutput.contains(
                    "systemctl reload gatehouse"))
                    == true
            })
        #expect(other.exitStatus == nil, "no signal was sent")
    }
}

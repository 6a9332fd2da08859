import Foundation
import JSON
import TestSupport
import Testing

/// What ExecReload= of the unit calls.
@Suite("gatehouse reload")
struct ReloadCommandTests {
    private static let metric = "gatehouse_config_last_reload_successful"

    /// The settings are in a file, and the process has a service manager.
    private struct Stand {
        let folder: TemporaryFolder
        let house: ManagedHouse
        let settings: [String: String]

        init() throws {
            let folder = try TemporaryFolder()
            var settings: [String: String] = [:]
            house = try ManagedHouse { variables in
                settings = variables
                variables = ["GATEHOUSE_CONFIG": folder.file("conf")]
                try? Self.write(settings, to: folder.file("conf"))
            }
            (self.folder, self.settings) = (folder, settings)
        }

        private static func write(_ settings: [String: String], to path: String) throws {
            try settings.map { "\($0)=\"\($1)\"" }.joined(separator: "\n").write(
                toFile: path, atomically: true, encoding: .utf8)
        }

        func reload(_ changes: [String: String], of process: pid_t? = nil) throws -> Shell.Outcome {
            try Self.write(settings.merging(changes) { $1 }, to: folder.file("conf"))
            return try command("reload", String(process ?? house.process.identifier))
        }

        func command(_ words: String...) throws -> Shell.Outcome {
            try Shell.outcome(
                of: ["/usr/bin/timeout", "60", Executable.gatehouse] + words,
                environment: ["GATEHOUSE_CONFIG": folder.file("conf")])
        }

        func metric() throws -> Double? {
            let text = String(decoding: try house.send(.get("/metrics")).body, as: UTF8.self)
            let line = text.split(separator: "\n").first { $0.hasPrefix(ReloadCommandTests.metric + " ") }
            return line.flatMap { Double($0.split(separator: " ").last ?? "") }
        }
    }

    @Test("returns when the new settings are in force, as often as it is called")
    func done() throws {
        let stand = try Stand()
        for number in 1...20 {
            let outcome = try stand.reload(["ACCESS_TOKEN_TTL": "\(number)m"])
            #expect(outcome.status == 0 && outcome.complaint.isEmpty, "\(outcome.complaint)")
            #expect(try stand.house.devLogin("ada@example.com").json["expiresIn"]?.integer == Int64(number) * 60)
        }
        #expect(try stand.metric() == 1)
        let told = stand.house.manager.lines
        #expect(told.count { $0 == "RELOADING=1" } == 20 && told.count { $0 == "READY=1" } == 21)
    }

    @Test("fails with every fault where the settings are refused, which status and metric tell until a good reload")
    func refused() throws {
        let stand = try Stand()
        let outcome = try stand.reload(["WORKERS": "Xmany", "ACCESS_TOKEN_TTL": "Xsoon"])
        #expect(outcome.status == 1)
        for fault in ["\n  WORKERS must be ", "\n  ACCESS_TOKEN_TTL must be "] {
            #expect(outcome.complaint.contains(fault), "\(outcome.complaint)")
        }
        #expect(!outcome.complaint.contains("Xmany"))
        #expect(try stand.metric() == 0)
        #expect(try stand.house.devLogin("ada@example.com").json["expiresIn"] == 900)
        let start = "settings refused at the last reload, those before stay in force: WORKERS must be "
        #expect(stand.house.manager.status.hasPrefix(start))
        #expect(stand.house.manager.status.contains("(and 1 more)"))
        // The line with the rates keeps it.
        #expect(Eventually.holds { stand.house.manager.status.contains("requests/s") })
        #expect(stand.house.manager.status.hasPrefix(start))
        #expect(try stand.command("check", "--offline").text.contains(/FAULT +reload +the server refused the settings/))

        #expect(try stand.reload([:]).status == 0)
        #expect(try stand.metric() == 1)
        #expect(!stand.house.manager.status.contains("refused"))
        #expect(Eventually.holds { stand.house.manager.status.contains("requests/s") })
        #expect(try stand.command("check", "--offline").text.contains(/ok +reload +the server took the settings/))
    }

    @Test("needs neither LISTEN nor a socket that answers")
    func otherSocket() throws {
        let stand = try Stand()
        #expect(try stand.reload(["LISTEN": "unix:/nowhere/at/all.sock"]).status == 0)
        #expect(try stand.reload(["LISTEN": "nonsense"]).status == 1)
    }

    @Test("says what is wrong where there is no process to ask")
    func wrongProcess() throws {
        let stand = try Stand()
        for word in ["0", "-1", "many", ""] { #expect(try stand.command("reload", "--", word).status == 2, "\(word)") }
        let gone = try ChildProcess(["/bin/true"], environment: [:], log: "/dev/null")
        _ = gone.wait()
        let outcome = try stand.reload([:], of: gone.identifier)
        #expect(outcome.status == 3 && outcome.complaint.contains("No such process"), "\(outcome.complaint)")
    }

    @Test("sends nothing to another program, which it would end")
    func otherProgram() throws {
        let other = try ChildProcess(["sleep", "60"], environment: ["PATH": "/usr/bin:/bin"], log: "/dev/null")
        #expect(
            Eventually.holds {
                (try? String(contentsOfFile: "/proc/\(other.identifier)/comm", encoding: .utf8)) == "sleep\n"
            })
        let outcome = try Stand().command("reload", "\(other.identifier)")
        #expect(outcome.status == 2 && outcome.complaint.contains("is not a gatehouse"), "\(outcome.complaint)")
        #expect(other.exitStatus == nil)
    }

    @Test("is not called by root for a server of another user", .enabled(if: getuid() == 0))
    func otherUser() throws {
        let other = try ChildProcess(
            ["setpriv", "--reuid=65534", "sleep", "60"], environment: ["PATH": "/usr/bin:/bin"], log: "/dev/null")
        let stand = try Stand()
        #expect(
            Eventually.holds {
                (try? stand.command("reload", "\(other.identifier)").complaint.contains("systemctl reload gatehouse"))
                    == true
            })
        #expect(other.exitStatus == nil, "it was sent no signal")
    }
}

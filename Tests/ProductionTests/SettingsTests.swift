import TestSupport
import Testing

extension MachineTests {
    @Suite("Changed settings")
    struct SettingsTests {
        private static let metric = "gatehouse_config_last_reload_successful"

        /// One machine for three steps: a valid reload, a refused reload and a refused start.
        @Test("A reload applies valid settings and refuses invalid ones, and a refused start says why")
        func settings() throws {
            let machine = try Machine.serving()
            try expectVersion(on: machine)
            let process = try machine.mustRun("systemctl show -P MainPID gatehouse")
            try expectTakenOver(on: machine)
            try expectRefused(on: machine)
            #expect(try machine.mustRun("systemctl show -P MainPID gatehouse") == process)
            try expectNoStart(on: machine)
        }

        private func set(_ line: String, on machine: Machine) throws {
            let name = line.prefix { $0 != "=" }
            try machine.mustRun(
                "cd /etc/gatehouse && sed -i '/^\(name)=/d' gatehouse.conf && echo '\(line)' >>gatehouse.conf")
        }

        private func metric(on machine: Machine) throws -> String {
            try machine.mustRun("curl -sf http://127.0.0.1:9180/metrics | sed -n 's/^\(Self.metric) //p'")
        }

        private func lifetime(on machine: Machine) throws -> String {
            try machine.mustRun(
                """
                curl -sf http://127.0.0.1:8444/mint |
                    curl -skf https://localhost/api/auth/apple -H 'Content-Type: application/json' -d @- |
                    sed 's/.*"expiresIn":\\([0-9]*\\).*/\\1/'
                """)
        }

        private func expectVersion(on machine: Machine) throws {
            let version = try machine.mustRun("dpkg-query -W -f '${Version}' gatehouse")
            #expect(version.hasSuffix("-1"))
            #expect(try machine.mustRun("gatehouse version") == "gatehouse \(version)")
            let metrics = try machine.mustRun("curl -sf http://127.0.0.1:9180/metrics | grep build_info")
            #expect(metrics.contains(#"gatehouse_build_info{version="\#(version)"} 1"#))
        }

        private func expectTakenOver(on machine: Machine) throws {
            for minutes in 1...3 {
                try set("ACCESS_TOKEN_TTL=\(minutes)m", on: machine)
                try machine.mustRun("gatehouse check --settings && systemctl reload gatehouse")
                #expect(try lifetime(on: machine) == "\(60 * minutes)")
            }
            #expect(try metric(on: machine) == "1")
        }

        private func expectRefused(on machine: Machine) throws {
            try set("ACCESS_TOKEN_TTL=soon", on: machine)
            try set("WORKERS=many", on: machine)
            let check = try machine.run("gatehouse check --settings")
            #expect(check.status == 2)
            let faults = ["ACCESS_TOKEN_TTL must be a time", "WORKERS must be a number"]
            for fault in faults { #expect(check.text.contains(fault), "\(check.text)") }
            #expect(try machine.run("systemctl reload gatehouse").status == 1)
            let status = try machine.mustRun("systemctl status gatehouse")
            #expect(status.contains("settings refused at the last reload"), "\(status)")
            let journal = try machine.mustRun("journalctl --unit gatehouse --priority err --output cat")
            for fault in faults { #expect(journal.contains(fault), "\(journal)") }
            #expect(
                !journal.contains("CREDENTIALS_DIRECTORY"),
                "credentials that only the reload command cannot read are no fault")
            #expect(try metric(on: machine) == "0")
            #expect(try lifetime(on: machine) == "180")
            #expect(try machine.run("gatehouse check --offline").text.contains("FAULT  reload "))

            try set("ACCESS_TOKEN_TTL=4m", on: machine)
            try set("WORKERS=64", on: machine)
            try machine.mustRun("systemctl reload gatehouse")
            #expect(try metric(on: machine) == "1")
            #expect(try lifetime(on: machine) == "240")
            #expect(!(try machine.mustRun("systemctl show -P StatusText gatehouse").contains("refused")))
        }

        private func expectNoStart(on machine: Machine) throws {
            try set("WORKERS=none", on: machine)
            #expect(try machine.run("systemctl restart gatehouse").status != 0)
            let lines = try machine.mustRun("journalctl --unit gatehouse --priority err --output cat --grep fatal")
            let fatal = #""event":"fatal","command":"serve","fault":"WORKERS must be"#
            #expect(lines.hasPrefix("{") && lines.contains(fatal), "\(lines)")
            // The unit that needs the missing setting logs the error.
            try machine.mustRun("systemctl stop gatehouse.socket")
            try machine.mustRun("sed -i '/^APPLE_BUNDLE_ID=/d' /etc/gatehouse/gatehouse.conf")
            #expect(try machine.run("systemctl start gatehouse").status != 0)
            #expect(
                try machine.mustRun("journalctl --unit gatehouse-setup --priority err --output cat").contains(
                    "set APPLE_BUNDLE_ID"))
        }
    }
}

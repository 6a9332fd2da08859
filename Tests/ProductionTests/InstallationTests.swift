import Foundation
import TestSupport
import Testing

extension MachineTests {
    @Suite("Installation")
    struct InstallationTests {
        @Test("Without APPLE_BUNDLE_ID the server does not start, says what to set and leaves no failed unit")
        func unconfigured() throws {
            let machine = try Machine()
            let output = try machine.install(DebianPackage.first.get())
            #expect(output.contains("set APPLE_BUNDLE_ID in /etc/gatehouse/gatehouse.conf"))
            #expect(try machine.run("systemctl start gatehouse").status != 0)
            // Neither a request nor a boot starts it repeatedly.
            try machine.mustRun("curl -sk https://localhost/api/users/me | grep -q bad_gateway")
            #expect(try failedUnits(of: machine) == [])
            try machine.boot()
            #expect(try failedUnits(of: machine) == [])
            #expect(try hasRunAfterTemporaryFilesWereRemoved("gatehouse-setup", on: machine))
            #expect(try machine.run("systemctl is-active gatehouse.socket gatehouse.service").status != 0)
            #expect(try machine.mustRun("journalctl --unit gatehouse-setup").contains("set APPLE_BUNDLE_ID"))
            // No alert was raised.
            #expect(try machine.run("journalctl | grep 'needs an operator: see'").text == "")
            try firstLogin(on: machine)
        }

        /// A unit with devices of its own fails at a boot where it starts while /tmp is emptied.
        private func hasRunAfterTemporaryFilesWereRemoved(_ unit: String, on machine: Machine) throws -> Bool {
            let times = try machine.mustRun(
                """
                systemctl show -P ActiveEnterTimestampMonotonic systemd-tmpfiles-setup
                systemctl show -P ExecMainStartTimestampMonotonic \(unit)
                """
            ).split(separator: "\n").compactMap { Int($0) }
            return times.count == 2 && 0 < times[0] && times[0] < times[1]
        }

        /// The failed units with their journal. systemd reports "running" when no unit has failed.
        private func failedUnits(of machine: Machine) throws -> [String] {
            let failed = "systemctl --failed --plain --no-legend | cut -d' ' -f1"
            let units = try machine.mustRun(failed).split(separator: "\n")
            #expect(try machine.run("systemctl is-system-running").text == "running\n", "failed: \(units)")
            let journals = try units.map { try machine.mustRun("journalctl --boot --no-pager --lines 10 --unit \($0)") }
            if !journals.isEmpty { Issue.record("\(journals.joined())") }
            return journals
        }

        /// Follows "The first login" in the operators' documentation.
        private func firstLogin(on machine: Machine) throws {
            try machine.mustRun(
                "sed -i 's/^APPLE_BUNDLE_ID=.*/APPLE_BUNDLE_ID=com.example.app/' /etc/gatehouse/gatehouse.conf")
            try machine.mustRun("systemctl start gatehouse")
            let settings = "cat /etc/gatehouse/gatehouse.conf"
            let before = try machine.mustRun(settings)
            let output = try machine.mustRun(
                DocumentationPage.operations.blocks(of: "The first login").joined(separator: "\n"))
            #expect(output.contains("\"isNewUser\":true") && output.contains("user_"), "\(output)")
            #expect(try machine.mustRun(settings) == before)
            #expect(machine.eventuallySucceeds("! test -e /etc/gatehouse/credentials/dev_login_secret"))
            let refusal = "curl -sk -X POST https://localhost/api/auth/dev-login | grep -q dev_login_disabled"
            #expect(machine.eventuallySucceeds(refusal))
        }

        @Test("A login with Apple succeeds over TLS, also after a reboot")
        func login() throws {
            let machine = try Machine.serving()
            #expect(try machine.login() == Machine.successfulLogin)
            #expect(
                try machine.mustRun(
                    "curl -s https://localhost/api/users/me --cacert /etc/gatehouse/tls/self-signed.pem"
                )
                .contains("invalid_access_token"))
            #expect(
                try machine.mustRun(
                    "curl -s -o /dev/null -w '%{redirect_url}' -H 'Host: api.example.com' http://localhost/x")
                    == "https://api.example.com/x")
            #expect(
                try machine.mustRun("systemctl is-enabled gatehouse.service gatehouse.socket gatehouse-backup.timer")
                    == "enabled\nenabled\nenabled")
            try machine.boot()
            try machine.startApple()
            #expect(try failedUnits(of: machine) == [])
            let statuses = try machine.login()
            #expect(statuses == Machine.successfulLogin)
        }

        @Test("Secrets are readable by their owner only and are not in the environment")
        func secrets() throws {
            let machine = try Machine.serving()
            #expect(try machine.mustRun("stat -c '%a %U:%G' /run/gatehouse/gatehouse.sock") == "660 gatehouse:www-data")
            let files = "find /etc/gatehouse/credentials -type f -printf"
            #expect(
                try machine.mustRun("stat -c '%a %U' /etc/gatehouse/credentials /etc/gatehouse/credentials/receivers")
                    == "700 root\n700 root")
            #expect(try machine.mustRun(files + " '%m %u\\n' | sort -u") == "600 root")
            #expect(
                try machine.mustRun("stat -c '%a %U' /var/lib/gatehouse /etc/gatehouse/tls/*.key")
                    == "700 gatehouse\n600 root")
            let environment = try machine.mustRun(
                "tr '\\0' '\\n' </proc/$(systemctl show -P MainPID gatehouse)/environ")
            #expect(environment.contains("CREDENTIALS_DIRECTORY="))
            for name in try machine.mustRun(files + " '%f\\n'").split(separator: "\n") {
                let secret = try machine.mustRun("head -n 2 /etc/gatehouse/credentials/\(name) | tail -n 1")
                #expect(secret.count > 20)
                #expect(!environment.contains(secret))
                #expect(try machine.run("journalctl | grep -qF -- '\(secret)'").status == 1)
            }
        }

        @Test("A crash dumps no core, and memory and tasks are limited")
        func bounds() throws {
            let machine = try Machine.serving()
            #expect(
                try machine.mustRun("systemctl show -p LimitCORE -p MemoryMax -p TasksMax gatehouse | sort")
                    == "LimitCORE=0\nMemoryMax=1073741824\nTasksMax=2300")
            try machine.mustRun("kill -ABRT $(systemctl show -P MainPID gatehouse)")
            #expect(Eventually.holds { (try? machine.run("systemctl is-active gatehouse").text) == "active\n" })
            // systemd logs `code=dumped` when the kernel has written a core.
            #expect(
                Eventually.holds {
                    (try? machine.run("journalctl --unit gatehouse | grep -q 'code=killed, status=6/ABRT'").status) == 0
                })
            #expect(try machine.login() == Machine.successfulLogin)
        }

        @Test("Installing again changes nothing, and invalid settings do not stop the running server")
        func again() throws {
            let machine = try Machine.serving()
            let state =
                "cat /etc/gatehouse/*.conf /etc/gatehouse/*.values /etc/gatehouse/credentials/* /etc/gatehouse/tls/*; find /etc/nginx /etc/systemd | sort"
            let before = try machine.mustRun(state)
            let process = "systemctl show -P MainPID gatehouse"
            let first = try machine.mustRun(process)
            try machine.mustRun("dpkg --install /root/gatehouse.deb </dev/null")
            #expect(try machine.mustRun(state) == before)
            #expect(try machine.login() == Machine.successfulLogin)
            let second = try machine.mustRun(process)
            #expect(second != first)
            try machine.recordAlerts()
            try machine.mustRun("echo WORKERS=many >>/etc/gatehouse/gatehouse.conf")
            let output = try machine.mustRun("dpkg --install /root/gatehouse.deb </dev/null 2>&1")
            #expect(output.contains("WORKERS must be a number") && output.contains("systemctl restart gatehouse"))
            #expect(try machine.mustRun(process) == second)
            #expect(try machine.login() == Machine.successfulLogin)
            #expect(try machine.mustRun("dpkg --audit") == "")
            #expect(try machine.alertedUnits == "")
            // Settings also come from a file that only root can read, and from a drop-in.
            try machine.mustRun(
                "sed -i '/^WORKERS=many/d' /etc/gatehouse/gatehouse.conf; chmod 600 /etc/gatehouse/gatehouse.conf")
            #expect(
                try machine.mustRun("dpkg --install /root/gatehouse.deb </dev/null 2>&1").contains(
                    "chmod 644 /etc/gate"))
            let faults = try machine.faults()
            #expect(
                faults.contains {
                    $0.message.contains("/etc/gatehouse/gatehouse.conf") && $0.advice.contains("chmod 644 /etc/gate")
                }, "\(faults)")
            try machine.mustRun(
                "chmod 644 /etc/gatehouse/gatehouse.conf; mkdir -p /etc/systemd/system/gatehouse.service.d")
            try machine.write(
                "[Service]\nEnvironment=ACCESS_TOKEN_TTL=banana\n",
                to: "/etc/systemd/system/gatehouse.service.d/own.conf")
            #expect(
                try machine.mustRun("dpkg --install /root/gatehouse.deb </dev/null 2>&1").contains(
                    "ACCESS_TOKEN_TTL must be"))
            #expect(try machine.mustRun(process) == second)
            try machine.mustRun("rm /etc/systemd/system/gatehouse.service.d/own.conf && systemctl daemon-reload")
            try machine.mustRun("systemctl restart gatehouse")
            #expect(try machine.login() == Machine.successfulLogin)
        }

        @Test("The units have no more privileges than needed")
        func exposure() throws {
            let machine = try Machine()
            try machine.install(DebianPackage.first.get())
            // The server sees the users of the machine, to name those that connect to its socket. The programs of the operator
            // need the network, and the users and folders of a mailer.
            let limits = [
                "gatehouse.service": 12, "gatehouse-backup.service": 11, "gatehouse-setup.service": 17,
                "gatehouse-failed@gatehouse.service.service": 29,
            ]
            for (unit, limit) in limits {
                let outcome = try machine.run(
                    "systemd-analyze security --offline=true --threshold=\(limit) --no-pager \(unit)")
                #expect(outcome.status == 0, "\(outcome.text.suffix(300))")
            }
            // systemd ignores settings that it does not know.
            let verdict = try machine.mustRun(
                "systemd-analyze verify --man=no /lib/systemd/system/gatehouse* 2>&1 | grep gatehouse || true")
            let isNew = try machine.run("grep -q bookworm /etc/os-release").status != 0
            #expect(
                verdict.split(separator: "\n").filter { isNew || !$0.contains("Unknown key 'RestartMode'") } == [])
        }
    }
}

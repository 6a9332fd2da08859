import Foundation
import TestSupport
import Testing

extension MachineTests {
    @Suite("with the package installed")
    struct InstallationTests {
        @Test("is not started without its app, says what to set, and leaves no unit failed")
        func unconfigured() throws {
            let machine = try Machine()
            let output = try machine.install(DebianPackage.first.get())
            #expect(output.contains("set APPLE_BUNDLE_ID in /etc/gatehouse/gatehouse.conf"))
            #expect(try machine.run("systemctl start gatehouse").status != 0)
            // Nor does a request start it again and again, nor a boot.
            try machine.must("curl -sk https://localhost/api/users/me | grep -q bad_gateway")
            #expect(try failedUnits(of: machine) == [])
            try machine.boot()
            #expect(try failedUnits(of: machine) == [])
            #expect(try machine.run("systemctl is-active gatehouse.socket gatehouse.service").status != 0)
            #expect(try machine.must("journalctl --unit gatehouse-setup").contains("set APPLE_BUNDLE_ID"))
            // No alert was raised about it.
            #expect(try machine.run("journalctl | grep 'needs an operator: see'").text == "")
            try firstLogin(on: machine)
        }

        /// Each with the reason that the journal has. None has failed where systemd says that the system is running.
        private func failedUnits(of machine: Machine) throws -> [String] {
            let failed = "systemctl --failed --plain --no-legend | cut -d' ' -f1"
            let units = try machine.must(failed).split(separator: "\n")
            #expect(try machine.run("systemctl is-system-running").text == "running\n", "failed: \(units)")
            return try units.map { try machine.must("journalctl --boot --no-pager --lines 10 --unit \($0)") }
        }

        /// As the page for operators has it, after the app has been set.
        private func firstLogin(on machine: Machine) throws {
            try machine.must(
                "sed -i 's/^APPLE_BUNDLE_ID=.*/APPLE_BUNDLE_ID=com.example.app/' /etc/gatehouse/gatehouse.conf")
            try machine.must("systemctl start gatehouse")
            let settings = "cat /etc/gatehouse/gatehouse.conf"
            let before = try machine.must(settings)
            let output = try machine.must(Page.operations.blocks(of: "The first login").joined(separator: "\n"))
            #expect(output.contains("\"isNewUser\":true") && output.contains("user_"), "\(output)")
            #expect(try machine.must(settings) == before)
            #expect(machine.holds("! curl -s http://127.0.0.1:8444/auth/keys"))
        }

        @Test("lets a user in with Apple, over TLS, and again after a reboot")
        func login() throws {
            let machine = try Machine.serving()
            #expect(try machine.login() == Machine.wholeLogin)
            #expect(
                try machine.must("curl -s https://localhost/api/users/me --cacert /etc/gatehouse/tls/self-signed.pem")
                    .contains("invalid_access_token"))
            #expect(
                try machine.must(
                    "curl -s -o /dev/null -w '%{redirect_url}' -H 'Host: api.example.com' http://localhost/x")
                    == "https://api.example.com/x")
            #expect(
                try machine.must("systemctl is-enabled gatehouse.service gatehouse.socket gatehouse-backup.timer")
                    == "enabled\nenabled\nenabled")
            try machine.boot()
            try machine.startApple()
            #expect(try machine.login() == Machine.wholeLogin)
            #expect(try machine.run("systemctl is-system-running").text == "running\n")
        }

        @Test("keeps its secrets from everybody, the process's environment included")
        func secrets() throws {
            let machine = try Machine.serving()
            #expect(try machine.must("stat -c '%a %U:%G' /run/gatehouse/gatehouse.sock") == "660 gatehouse:www-data")
            #expect(try machine.must("stat -c '%a %U' /etc/gatehouse/credentials") == "700 root")
            #expect(try machine.must("stat -c '%a %U' /etc/gatehouse/credentials/* | sort -u") == "600 root")
            #expect(
                try machine.must("stat -c '%a %U' /var/lib/gatehouse /etc/gatehouse/tls/*.key")
                    == "700 gatehouse\n600 root")
            let environment = try machine.must("tr '\\0' '\\n' </proc/$(systemctl show -P MainPID gatehouse)/environ")
            #expect(environment.contains("CREDENTIALS_DIRECTORY="))
            for name in try machine.must("ls /etc/gatehouse/credentials").split(separator: "\n") {
                let secret = try machine.must("head -n 2 /etc/gatehouse/credentials/\(name) | tail -n 1")
                #expect(secret.count > 20)
                #expect(!environment.contains(secret))
                #expect(try machine.run("journalctl | grep -qF -- '\(secret)'").status == 1)
            }
        }

        @Test("dumps no core where a crash ends it, and has bounds of memory and tasks")
        func bounds() throws {
            let machine = try Machine.serving()
            #expect(
                try machine.must("systemctl show -p LimitCORE -p MemoryMax -p TasksMax gatehouse | sort")
                    == "LimitCORE=0\nMemoryMax=1073741824\nTasksMax=1200")
            try machine.must("kill -ABRT $(systemctl show -P MainPID gatehouse)")
            #expect(Eventually.holds { (try? machine.run("systemctl is-active gatehouse").text) == "active\n" })
            // systemd says `code=dumped` where the kernel has written a core.
            #expect(
                Eventually.holds {
                    (try? machine.run("journalctl --unit gatehouse | grep -q 'code=killed, status=6/ABRT'").status) == 0
                })
            #expect(try machine.login() == Machine.wholeLogin)
        }

        @Test("installed a second time, is what it was, and goes on serving where the settings are no good")
        func again() throws {
            let machine = try Machine.serving()
            let state =
                "cat /etc/gatehouse/*.conf /etc/gatehouse/*.values /etc/gatehouse/credentials/* /etc/gatehouse/tls/*; find /etc/nginx /etc/systemd | sort"
            let before = try machine.must(state)
            let process = "systemctl show -P MainPID gatehouse"
            let first = try machine.must(process)
            try machine.must("dpkg --install /root/gatehouse.deb </dev/null")
            #expect(try machine.must(state) == before)
            #expect(try machine.login() == Machine.wholeLogin)
            let second = try machine.must(process)
            #expect(second != first)
            try machine.tellOfFailures()
            try machine.must("echo WORKERS=many >>/etc/gatehouse/gatehouse.conf")
            let output = try machine.must("dpkg --install /root/gatehouse.deb </dev/null 2>&1")
            #expect(output.contains("WORKERS must be a number") && output.contains("systemctl restart gatehouse"))
            #expect(try machine.must(process) == second)
            #expect(try machine.login() == Machine.wholeLogin)
            #expect(try machine.must("dpkg --audit") == "")
            #expect(try machine.told == "")
            // A file that root alone can read, and a drop-in, are settings as well.
            try machine.must(
                "sed -i '/^WORKERS=many/d' /etc/gatehouse/gatehouse.conf; chmod 600 /etc/gatehouse/gatehouse.conf")
            #expect(
                try machine.must("dpkg --install /root/gatehouse.deb </dev/null 2>&1").contains("chmod 644 /etc/gate"))
            #expect(try machine.faults().contains { $0.message.contains("gatehouse may not read /etc/gatehouse/gate") })
            try machine.must(
                "chmod 644 /etc/gatehouse/gatehouse.conf; mkdir -p /etc/systemd/system/gatehouse.service.d")
            try machine.write(
                "[Service]\nEnvironment=ACCESS_TOKEN_TTL=banana\n",
                to: "/etc/systemd/system/gatehouse.service.d/own.conf")
            #expect(
                try machine.must("dpkg --install /root/gatehouse.deb </dev/null 2>&1").contains(
                    "ACCESS_TOKEN_TTL must be"))
            #expect(try machine.must(process) == second)
            try machine.must("rm /etc/systemd/system/gatehouse.service.d/own.conf && systemctl daemon-reload")
            try machine.must("systemctl restart gatehouse")
            #expect(try machine.login() == Machine.wholeLogin)
        }

        @Test("is exposed no more than the work needs")
        func exposure() throws {
            let machine = try Machine()
            try machine.install(DebianPackage.first.get())
            for unit in ["gatehouse.service", "gatehouse-backup.service"] {
                let outcome = try machine.run(
                    "systemd-analyze security --offline=true --threshold=11 --no-pager \(unit)")
                #expect(outcome.status == 0, "\(outcome.text.suffix(300))")
            }
            // What systemd does not understand it would pass over.
            let verdict = try machine.run(
                "systemd-analyze verify --man=no /lib/systemd/system/gatehouse* 2>&1 | grep gatehouse")
            #expect(verdict.text == "")
        }

        @Test("backs up its database, and the copy is whole")
        func backup() throws {
            let machine = try Machine.serving()
            #expect(try machine.login() == Machine.wholeLogin)
            try machine.must("systemctl start gatehouse-backup")
            let copy = try machine.must("ls -d /var/lib/gatehouse/backups/*")
            #expect(try machine.must("stat -c '%a %U' '\(copy)'") == "600 gatehouse")
            #expect(
                try machine.must("sqlite3 '\(copy)' 'PRAGMA integrity_check; SELECT count(*) FROM users'") == "ok\n1")
            #expect(
                try machine.must("systemctl list-timers --no-legend gatehouse-backup.timer").contains(
                    "gatehouse-backup"))
        }
    }
}

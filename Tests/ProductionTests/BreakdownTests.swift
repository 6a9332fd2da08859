import TestSupport
import Testing

extension MachineTests {
    @Suite("Failures")
    struct BreakdownTests {
        @Test("A killed server restarts every time, and the third kill raises one alert")
        func kill() throws {
            let machine = try Machine.serving()
            try machine.recordAlerts()
            // systemd would give up after five restarts by default.
            for kill in 1...7 {
                let before = try machine.mustRun("systemctl show -P MainPID gatehouse")
                try machine.mustRun("systemctl kill --signal=KILL gatehouse")
                #expect(
                    machine.eventuallySucceeds(
                        "p=$(systemctl show -P MainPID gatehouse); [ $p != 0 ] && [ $p != \(before) ]"))
                #expect(try machine.login() == Machine.successfulLogin)
                if kill == 2 { #expect(try machine.alertedUnits == "") }
            }
            #expect(machine.eventuallySucceeds("test -s /var/log/alerts"))
            #expect(try machine.alertedUnits == "gatehouse.service")
            #expect(
                try machine.mustRun("journalctl --priority alert").contains("crashed three times within ten minutes"))
            #expect(try machine.run("systemctl is-system-running").text == "running\n")
        }

        @Test("A server that hangs is restarted by the watchdog")
        func hang() throws {
            let machine = try Machine.serving()
            try machine.mustRun(
                """
                mkdir -p /etc/systemd/system/gatehouse.service.d
                printf '[Service]\\nWatchdogSec=6s\\n' >/etc/systemd/system/gatehouse.service.d/test.conf
                systemctl daemon-reload && systemctl restart gatehouse
                """)
            let before = try machine.mustRun("systemctl show -P MainPID gatehouse")
            // A server that works keeps feeding the watchdog.
            try machine.mustRun(
                """
                fed() { systemctl show -P WatchdogTimestampMonotonic gatehouse; }
                first=$(fed)
                until [ $(($(fed) - first)) -gt 14000000 ]; do sleep 0.5; done
                [ $(systemctl show -P MainPID gatehouse) = \(before) ] && kill -STOP \(before)
                """)
            #expect(
                machine.eventuallySucceeds(
                    "p=$(systemctl show -P MainPID gatehouse); [ $p != 0 ] && [ $p != \(before) ]"))
            #expect(try machine.login() == Machine.successfulLogin)
            #expect(try machine.mustRun("journalctl --unit gatehouse").contains("watchdog"))
        }

        @Test("A PostgreSQL server that is down at the start means 503 at once, under a watchdog that is fed")
        func absentServer() throws {
            let machine = try Machine.serving()
            try machine.mustRun(
                """
                mkdir -p /etc/systemd/system/gatehouse.service.d
                printf '[Service]\\nWatchdogSec=6s\\n' >/etc/systemd/system/gatehouse.service.d/test.conf
                echo 'DATABASE_URL=postgresql://gatehouse@/gatehouse?host=/run/absent' >>/etc/gatehouse/gatehouse.conf
                systemctl daemon-reload && systemctl restart gatehouse
                """)
            let statuses = try (0..<3).map { _ in try machine.mustRun(Self.status) }
            #expect(statuses == ["503", "503", "503"])
            let process = try machine.mustRun("systemctl show -P MainPID gatehouse")
            try machine.mustRun(
                """
                fed() { systemctl show -P WatchdogTimestampMonotonic gatehouse; }
                first=$(fed)
                until [ $(($(fed) - first)) -gt 14000000 ]; do sleep 0.5; done
                [ $(systemctl show -P MainPID gatehouse) = \(process) ]
                """)
            #expect(try machine.mustRun("systemctl show -P StatusText gatehouse").contains("cannot be reached"))
            try machine.mustRun("sed -i '/^DATABASE_URL=/d' /etc/gatehouse/gatehouse.conf; systemctl restart gatehouse")
            #expect(try machine.login() == Machine.successfulLogin)
            #expect(try machine.mustRun("systemctl show -P NRestarts gatehouse") == "0")
        }

        @Test("Invalid settings raise one alert, and the server starts once they are corrected")
        func misconfigured() throws {
            let machine = try Machine.serving()
            try machine.recordAlerts()
            try machine.mustRun("echo WORKERS=many >>/etc/gatehouse/gatehouse.conf")
            #expect(try machine.run("systemctl restart gatehouse").status != 0)
            for _ in 0..<3 {
                #expect(try machine.mustRun(Self.status) == "502")
                #expect(try machine.run("systemctl start gatehouse").status != 0)
            }
            // The socket unit is either active with its file or inactive without it.
            try machine.mustRun("! systemctl is-active gatehouse.socket && ! test -e /run/gatehouse/gatehouse.sock")
            #expect(
                try machine.mustRun("systemctl --failed --plain --no-legend | cut -d' ' -f1") == "gatehouse.service")
            #expect(try machine.mustRun("journalctl --priority alert").contains("gatehouse.service needs an operator"))
            try machine.mustRun("sed -i '/^WORKERS=many/d' /etc/gatehouse/gatehouse.conf && systemctl start gatehouse")
            #expect(try machine.login() == Machine.successfulLogin)
            #expect(try machine.alertedUnits == "gatehouse.service")
            #expect(try machine.run("systemctl is-system-running").text == "running\n")
            try socket(of: machine)
            try withoutApp(machine)
        }

        private static let status = "curl -sk -o /dev/null -w '%{http_code}' https://localhost/api/users/me"

        /// The socket file is removed, or the socket unit is stopped while the service runs. A
        /// restart creates it again.
        private func socket(of machine: Machine) throws {
            for fault in [
                "rm /run/gatehouse/gatehouse.sock", "systemctl --job-mode=ignore-dependencies stop gatehouse.socket",
            ] {
                try machine.mustRun("\(fault) && ! test -e /run/gatehouse/gatehouse.sock")
                try machine.mustRun("systemctl restart gatehouse && test -S /run/gatehouse/gatehouse.sock")
                #expect(try machine.login() == Machine.successfulLogin, "\(fault)")
            }
        }

        /// A start that the setup refuses stops the socket too.
        private func withoutApp(_ machine: Machine) throws {
            try machine.mustRun("sed -i.kept 's/^APPLE_BUNDLE_ID=.*/APPLE_BUNDLE_ID=/' /etc/gatehouse/gatehouse.conf")
            #expect(try machine.run("systemctl restart gatehouse").status != 0)
            try machine.mustRun("! systemctl is-active gatehouse.socket")
            #expect(machine.eventuallySucceeds("test $(wc -l </var/log/alerts) = 2"))
            #expect(try machine.mustRun(Self.status) == "502")
            try machine.mustRun("mv /etc/gatehouse/gatehouse.conf.kept /etc/gatehouse/gatehouse.conf")
            try machine.mustRun("systemctl start gatehouse")
            #expect(try machine.login() == Machine.successfulLogin)
        }

        @Test("A start makes neither a secret nor a database in place of one that is missing")
        func missing() throws {
            let machine = try Machine.serving()
            #expect(try machine.login() == Machine.successfulLogin)
            try machine.mustRun("test -e /etc/gatehouse/database_mark && systemctl stop gatehouse.socket")
            let secret = "/etc/gatehouse/credentials/jwt_refresh_secret"
            let said = "journalctl --unit gatehouse --output cat"
            for fault in ["rm \(secret)", ": >\(secret)"] {
                try machine.mustRun("cp -p \(secret) /root/kept && \(fault)")
                #expect(try machine.run("systemctl start gatehouse").status != 0)
                #expect(try machine.mustRun(said).contains("\(secret) does not exist or is empty"))
                try machine.mustRun("test ! -s \(secret) && cp -p /root/kept \(secret)")
            }
            try machine.mustRun(
                "rm \(secret) && gatehouse keys generate --alg HS256 --out \(secret) && systemctl reset-failed gatehouse"
            )
            #expect(try machine.run("systemctl start gatehouse").status != 0)
            #expect(try machine.mustRun(said).contains("JWT_REFRESH_SECRET does not fit the database"))
            try machine.mustRun("cp -p /root/kept \(secret) && mkdir /root/away && mv /var/lib/gatehouse/* /root/away/")
            #expect(try machine.run("timeout 20 systemctl start gatehouse").status != 0)
            #expect(try machine.mustRun(said).contains("there was one (/etc/gatehouse/database_mark)"))
            try machine.mustRun("test ! -e /var/lib/gatehouse/gatehouse.db && systemctl stop gatehouse.socket")
            try machine.mustRun("cp -a /root/away/. /var/lib/gatehouse/ && systemctl start gatehouse")
            #expect(try machine.login() == Machine.successfulLogin)
        }

        @Test("Writes get 503 while the disk is full, reads succeed, and writes succeed again afterwards")
        func fullDisk() throws {
            let machine = try Machine()
            // Mounted before the first start, so that the whole store is on it.
            try machine.mustRun("mkdir /var/lib/gatehouse && mount -t tmpfs -o size=4m none /var/lib/gatehouse")
            try machine.install(DebianPackage.first.get())
            try machine.configure()
            try machine.mustRun("systemctl start gatehouse")
            #expect(try machine.login() == Machine.successfulLogin)
            let process = try machine.mustRun("systemctl show -P MainPID gatehouse")
            try machine.run("dd if=/dev/zero of=/var/lib/gatehouse/filler bs=4k 2>/dev/null")
            // The write-ahead log can reuse some space before writes fail.
            #expect(machine.eventuallySucceeds("python3 /root/client.py login | grep -q 503", within: 120))
            #expect(
                try machine.mustRun("curl -sk -o /dev/null -w '%{http_code}' https://localhost/api/users/me") == "401")
            try machine.mustRun("rm /var/lib/gatehouse/filler")
            #expect(machine.eventuallySucceeds("python3 /root/client.py login | grep -qx '\(Machine.successfulLogin)'"))
            #expect(try machine.mustRun("systemctl show -P MainPID gatehouse") == process)
        }
    }
}

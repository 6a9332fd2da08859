import TestSupport
import Testing

extension MachineTests {
    @Suite("that breaks down")
    struct BreakdownTests {
        @Test("is back after a kill, as often as it takes, and alerts at the third, once")
        func kill() throws {
            let machine = try Machine.serving()
            try machine.tellOfFailures()
            // More often than the five times after which systemd would give up by itself.
            for kill in 1...7 {
                let before = try machine.must("systemctl show -P MainPID gatehouse")
                try machine.must("systemctl kill --signal=KILL gatehouse")
                #expect(machine.holds("p=$(systemctl show -P MainPID gatehouse); [ $p != 0 ] && [ $p != \(before) ]"))
                #expect(try machine.login() == Machine.wholeLogin)
                if kill == 2 { #expect(try machine.told == "") }
            }
            #expect(machine.holds("test -s /root/told"))
            #expect(try machine.told == "gatehouse.service")
            #expect(try machine.must("journalctl --priority alert").contains("crashed three times within ten minutes"))
            #expect(try machine.run("systemctl is-system-running").text == "running\n")
        }

        @Test("is restarted by the watchdog when it hangs")
        func hang() throws {
            let machine = try Machine.serving()
            try machine.must(
                """
                mkdir -p /etc/systemd/system/gatehouse.service.d
                printf '[Service]\\nWatchdogSec=3s\\n' >/etc/systemd/system/gatehouse.service.d/test.conf
                systemctl daemon-reload && systemctl restart gatehouse
                """)
            let before = try machine.must("systemctl show -P MainPID gatehouse")
            // One that is well goes on feeding it.
            try machine.must("sleep 7; [ $(systemctl show -P MainPID gatehouse) = \(before) ] && kill -STOP \(before)")
            #expect(machine.holds("p=$(systemctl show -P MainPID gatehouse); [ $p != 0 ] && [ $p != \(before) ]"))
            #expect(try machine.login() == Machine.wholeLogin)
            #expect(try machine.must("journalctl --unit gatehouse").contains("watchdog"))
        }

        @Test("tells once of a configuration that is no good, whatever asks for it, and serves as soon as it is mended")
        func misconfigured() throws {
            let machine = try Machine.serving()
            try machine.tellOfFailures()
            try machine.must("echo WORKERS=many >>/etc/gatehouse/gatehouse.conf")
            #expect(try machine.run("systemctl restart gatehouse").status != 0)
            for _ in 0..<3 {
                #expect(try machine.must(Self.status) == "502")
                #expect(try machine.run("systemctl start gatehouse").status != 0)
            }
            // A socket unit is active with its file, or not at all.
            try machine.must("! systemctl is-active gatehouse.socket && ! test -e /run/gatehouse/gatehouse.sock")
            #expect(try machine.must("systemctl --failed --plain --no-legend | cut -d' ' -f1") == "gatehouse.service")
            #expect(try machine.must("journalctl --priority alert").contains("gatehouse.service needs an operator"))
            try machine.must("sed -i '/^WORKERS=many/d' /etc/gatehouse/gatehouse.conf && systemctl start gatehouse")
            #expect(try machine.login() == Machine.wholeLogin)
            #expect(try machine.told == "gatehouse.service")
            #expect(try machine.run("systemctl is-system-running").text == "running\n")
            try socket(of: machine)
            try withoutApp(machine)
        }

        private static let status = "curl -sk -o /dev/null -w '%{http_code}' https://localhost/api/users/me"

        /// Its file is removed, or the unit is stopped while the service goes on: a restart makes it anew.
        private func socket(of machine: Machine) throws {
            for fault in [
                "rm /run/gatehouse/gatehouse.sock", "systemctl --job-mode=ignore-dependencies stop gatehouse.socket",
            ] {
                try machine.must("\(fault) && ! test -e /run/gatehouse/gatehouse.sock")
                try machine.must("systemctl restart gatehouse && test -S /run/gatehouse/gatehouse.sock")
                #expect(try machine.login() == Machine.wholeLogin, "\(fault)")
            }
        }

        /// A start that the setup refuses stops the socket as well.
        private func withoutApp(_ machine: Machine) throws {
            try machine.must("sed -i.kept 's/^APPLE_BUNDLE_ID=.*/APPLE_BUNDLE_ID=/' /etc/gatehouse/gatehouse.conf")
            #expect(try machine.run("systemctl restart gatehouse").status != 0)
            #expect(try machine.must(Self.status) == "502")
            try machine.must("! systemctl is-active gatehouse.socket")
            #expect(machine.holds("test $(wc -l </root/told) = 2"))
            try machine.must("mv /etc/gatehouse/gatehouse.conf.kept /etc/gatehouse/gatehouse.conf")
            try machine.must("systemctl start gatehouse")
            #expect(try machine.login() == Machine.wholeLogin)
        }

        @Test("refuses to write when the disk is full, goes on reading, and writes again when there is room")
        func fullDisk() throws {
            let machine = try Machine()
            // Before the first start, so that all of the store is on it.
            try machine.must("mkdir /var/lib/gatehouse && mount -t tmpfs -o size=4m none /var/lib/gatehouse")
            try machine.install(DebianPackage.first.get())
            try machine.configure()
            try machine.must("systemctl start gatehouse")
            #expect(try machine.login() == Machine.wholeLogin)
            let process = try machine.must("systemctl show -P MainPID gatehouse")
            try machine.run("dd if=/dev/zero of=/var/lib/gatehouse/filler bs=4k 2>/dev/null")
            // The log of the database has some room of its own to write over, which ends.
            #expect(machine.holds("python3 /root/client.py login | grep -q 503", within: 120))
            #expect(try machine.must("curl -sk -o /dev/null -w '%{http_code}' https://localhost/api/users/me") == "401")
            try machine.must("rm /var/lib/gatehouse/filler")
            #expect(machine.holds("python3 /root/client.py login | grep -qx '\(Machine.wholeLogin)'"))
            #expect(try machine.must("systemctl show -P MainPID gatehouse") == process)
        }
    }
}

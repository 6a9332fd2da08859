import TestSupport
import Testing

extension MachineTests {
    @Suite("that breaks down")
    struct BreakdownTests {
        @Test("is back after a kill, as often as it takes")
        func kill() throws {
            let machine = try Machine.serving()
            // More often than the five times after which systemd would give up by itself.
            for _ in 0..<7 {
                let before = try machine.must("systemctl show -P MainPID gatehouse")
                try machine.must("systemctl kill --signal=KILL gatehouse")
                #expect(machine.holds("p=$(systemctl show -P MainPID gatehouse); [ $p != 0 ] && [ $p != \(before) ]"))
                #expect(try machine.login() == Machine.wholeLogin)
            }
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

        @Test("tells of a configuration that is no good, and serves again when it is mended")
        func misconfigured() throws {
            let machine = try Machine.serving()
            try machine.must(
                """
                printf '#!/bin/sh\\necho "$1" >/root/told\\n' >/etc/gatehouse/on-failure.d/tell
                chmod +x /etc/gatehouse/on-failure.d/tell
                echo WORKERS=many >>/etc/gatehouse/gatehouse.conf
                """)
            #expect(try machine.run("systemctl restart gatehouse").status != 0)
            #expect(machine.holds("grep -qx gatehouse.service /root/told"))
            #expect(try machine.must("systemctl --failed").contains("gatehouse.service"))
            #expect(try machine.must("journalctl --priority alert").contains("gatehouse.service has failed"))
            try machine.must("sed -i '/^WORKERS=many/d' /etc/gatehouse/gatehouse.conf && systemctl start gatehouse")
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

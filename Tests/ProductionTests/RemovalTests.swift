import Foundation
import TestSupport
import Testing

extension MachineTests {
    @Suite("Removal")
    struct RemovalTests {
        /// All files except logs, caches and the package manager's files.
        private func files(_ machine: Machine) throws -> [String] {
            try machine.mustRun(
                """
                find / -xdev \\( -path /proc -o -path /sys -o -path /tmp -o -path /root -o -path /var/log -o -path /var/cache \
                    -o -path /var/lib/dpkg -o -path /var/lib/apt -o -path /var/lib/apple -o -path /var/tmp \\) -prune -o -print
                find /run /var/log -xdev | grep -i gatehouse
                getent passwd; getent group; systemctl list-unit-files --no-legend --no-pager | grep -i gatehouse; true
                """
            ).split(separator: "\n").map(String.init).sorted()
        }

        @Test("Removing the package keeps configuration and data, and installing it again serves with them")
        func remove() throws {
            let machine = try Machine.serving()
            #expect(try machine.login() == Machine.successfulLogin)
            let state =
                "cat /etc/gatehouse/*.conf /etc/gatehouse/*.values /etc/gatehouse/credentials/*; ls -i /var/lib/gatehouse/gatehouse.db"
            let before = try machine.mustRun(state)
            try machine.mustRun("apt-get remove --yes gatehouse </dev/null")
            #expect(try machine.mustRun(state) == before)
            try machine.mustRun("nginx -t && systemctl is-active nginx && ! ls /etc/nginx/*/gatehouse*")
            #expect(try machine.run("systemctl is-system-running").text == "running\n")
            try machine.install(DebianPackage.first.get())
            #expect(try machine.mustRun(state) == before)
            #expect(try machine.login() == Machine.successfulLogin)
        }

        @Test("Purging the package leaves nothing")
        func purge() throws {
            let machine = try Machine()
            try machine.installStandIn()
            let before = try files(machine)
            try machine.install(DebianPackage.first.get())
            try machine.configure()
            try machine.mustRun("systemctl start gatehouse")
            #expect(try machine.login() == Machine.successfulLogin)
            #expect(try files(machine) != before)
            try machine.mustRun("systemctl stop apple")
            try machine.mustRun("apt-get purge --yes gatehouse </dev/null")
            let after = try files(machine)
            #expect(Set(after).subtracting(before) == [])
            #expect(Set(before).subtracting(after) == [])
            try machine.mustRun("nginx -t && systemctl is-active nginx")
            #expect(try machine.run("systemctl is-system-running").text == "running\n")
        }
    }
}

import Foundation
import TestSupport
import Testing

extension MachineTests {
    @Suite("with the package gone again")
    struct RemovalTests {
        /// Every file there is, but what others write: their logs, caches, the package manager's own books.
        private func files(_ machine: Machine) throws -> [String] {
            try machine.must(
                """
                find / -xdev \\( -path /proc -o -path /sys -o -path /tmp -o -path /root -o -path /var/log -o -path /var/cache \
                    -o -path /var/lib/dpkg -o -path /var/lib/apt -o -path /var/lib/apple -o -path /var/tmp \\) -prune -o -print
                find /run /var/log -xdev | grep -i gatehouse
                getent passwd; getent group; systemctl list-unit-files --no-legend --no-pager | grep -i gatehouse; true
                """
            ).split(separator: "\n").map(String.init).sorted()
        }

        @Test("keeps what is the operator's, and serves again with it when it comes back")
        func remove() throws {
            let machine = try Machine.serving()
            #expect(try machine.login() == Machine.wholeLogin)
            let state =
                "cat /etc/gatehouse/*.conf /etc/gatehouse/*.values /etc/gatehouse/credentials/*; ls -i /var/lib/gatehouse/gatehouse.db"
            let before = try machine.must(state)
            try machine.must("apt-get remove --yes gatehouse </dev/null")
            #expect(try machine.must(state) == before)
            try machine.must("nginx -t && systemctl is-active nginx && ! ls /etc/nginx/*/gatehouse*")
            #expect(try machine.run("systemctl is-system-running").text == "running\n")
            try machine.install(DebianPackage.first.get())
            #expect(try machine.must(state) == before)
            #expect(try machine.login() == Machine.wholeLogin)
        }

        @Test("leaves nothing when it is purged")
        func purge() throws {
            let machine = try Machine()
            let before = try files(machine)
            try machine.install(DebianPackage.first.get())
            try machine.configure()
            try machine.must("systemctl start gatehouse")
            #expect(try machine.login() == Machine.wholeLogin)
            #expect(try files(machine) != before)
            try machine.must("systemctl stop apple")
            try machine.must("apt-get purge --yes gatehouse </dev/null")
            let after = try files(machine)
            #expect(Set(after).subtracting(before) == [])
            #expect(Set(before).subtracting(after) == [])
            try machine.must("nginx -t && systemctl is-active nginx")
            #expect(try machine.run("systemctl is-system-running").text == "running\n")
        }
    }
}

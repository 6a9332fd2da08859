import TestSupport
import Testing

extension MachineTests {
    /// Runs the commands of the operators' documentation.
    @Suite("Moving")
    struct MovingTests {
        @Test("The server works on another machine and with its database in another folder")
        func move() throws {
            let steps = try DocumentationPage.operations.blocks(of: "Moving to another machine")
            try #require(steps.count == 2)
            let old = try Machine.serving()
            try own(on: old)
            try old.mustRun("curl -sf http://127.0.0.1:8444/mint | \(Self.login) -o /root/session.json")
            try old.mustRun(steps[0])
            // A reboot does not start it again.
            try old.mustRun("! systemctl is-enabled gatehouse.service && ! systemctl is-active gatehouse.socket")
            old.halt()
            let new = try Machine()
            try new.install(DebianPackage.first.get())
            for path in ["/root/moving.tar.gz", "/root/session.json", "/root/client.py", "/var/lib/apple"] {
                try new.put(old.root + path, at: path)
            }
            try new.startApple()
            try new.run(steps[1])
            #expect(try new.faults() == [])
            #expect(try refresh(on: new) == "200")
            // The operator's own certificate and guarded location work.
            let own = "curl -s --cacert /etc/ssl/own.pem -o /dev/null -w '%{http_code}' https://localhost/own/"
            #expect(try new.mustRun(own) == "401")
            try elsewhere(on: new)
        }

        private static let json = "-H 'Content-Type: application/json'"
        private static let login = "curl -skf https://localhost/api/auth/apple \(json) -d @-"

        private func refresh(on machine: Machine) throws -> String {
            try machine.mustRun(
                """
                curl -sk -o /root/next.json -w '%{http_code}' https://localhost/api/auth/refresh \(Self.json) \
                    -d @/root/session.json
                mv /root/next.json /root/session.json
                """)
        }

        /// Adds a certificate behind a symbolic link, as certbot creates them, a guarded location and a drop-in.
        private func own(on machine: Machine) throws {
            try machine.mustRun(
                """
                openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 90 -subj /CN=Own \
                    -addext subjectAltName=DNS:api.example.com,DNS:localhost \
                    -keyout /etc/ssl/private/own.key -out /etc/ssl/own-1.pem 2>/dev/null
                ln -s own-1.pem /etc/ssl/own.pem
                printf 'CERTIFICATE=/etc/ssl/own.pem\\nCERTIFICATE_KEY=/etc/ssl/private/own.key\\n' \
                    >>/etc/gatehouse/nginx.values
                mkdir -p /etc/nginx/gatehouse.d
                cat >/etc/nginx/gatehouse.d/own.conf <<'END'
                location /own/ { include snippets/gatehouse-guard.conf; proxy_pass http://127.0.0.1:3000; }
                END
                gatehouse-nginx
                """)
        }

        /// First without the command that is needed, which is refused, then with it.
        private func elsewhere(on machine: Machine) throws {
            let setting = "DATABASE_URL=sqlite:/srv/gatehouse/gatehouse.db"
            try machine.mustRun(
                "cp /etc/gatehouse/gatehouse.conf /root && echo \(setting) >>/etc/gatehouse/gatehouse.conf")
            #expect(try machine.run("systemctl restart gatehouse").status != 0)
            let line = "gatehouse-database-folder /srv/gatehouse"
            #expect(try machine.mustRun("journalctl --unit gatehouse").contains(line))
            try machine.mustRun("mv /root/gatehouse.conf /etc/gatehouse/ && systemctl start gatehouse")
            let commands = try DocumentationPage.operations.blocks(of: "Another folder for the database")
            #expect(commands.first == line)
            // The check at the end fails because of the fake Apple.
            try machine.run(commands.joined(separator: "\n"))
            #expect(try refresh(on: machine) == "200")
            try machine.mustRun("systemctl start gatehouse-backup && test -s /srv/gatehouse/backups/gatehouse-*.db")
            try machine.mustRun("! ls /var/lib/gatehouse/gatehouse.db && ! ls /var/lib/gatehouse/backups/*")
            // The database stays and belongs to root, so that a later user with the same id cannot read it.
            try machine.mustRun("apt-get purge --yes gatehouse </dev/null && test -s /srv/gatehouse/gatehouse.db")
            #expect(try machine.mustRun("find /srv/gatehouse -printf '%u\\n' | sort -u") == "root")
            try machine.mustRun("! ls -d /etc/systemd/system/gatehouse*")
        }
    }
}

import TestSupport
import Testing

extension MachineTests {
    /// What the page for operators says, as it says it.
    @Suite("that is operated")
    struct OperationTests {
        @Test("is found well, and knows its backups")
        func check() throws {
            let machine = try Machine.serving()
            #expect(try machine.login() == Machine.wholeLogin)
            try machine.must("systemctl start gatehouse-backup")
            // Whatever the check may find elsewhere, it does not on a fresh machine.
            let report = try machine.must("gatehouse check")
            #expect(!report.contains("FAULT"), "\(report)")
            for subject in ["configuration", "database", "integrity", "socket", "server"] {
                #expect(report.contains("ok     \(subject) "), "\(report)")
            }
            #expect(try machine.must("gatehouse health").contains("ok"))
            let metrics = try machine.must("curl -sf http://127.0.0.1:9180/metrics")
            #expect(metrics.contains(/gatehouse_last_backup_timestamp_seconds [1-9]/))
            #expect(try machine.must("systemctl show -P StatusText gatehouse").contains("requests/s"))
        }

        @Test("rotates its secrets, and logs nobody out")
        func rotation() throws {
            let machine = try Machine.serving()
            try signIn(on: machine)
            for secret in ["jwt_access_secret", "jwt_refresh_secret", "data_key"] {
                try machine.must(
                    """
                    cd /etc/gatehouse/credentials
                    mv \(secret) \(secret)_previous
                    gatehouse keys generate --alg HS256 --out \(secret)
                    systemctl restart gatehouse
                    """)
                #expect(try me(on: machine) == "200", "\(secret)")
                #expect(try refresh(on: machine) == "200", "\(secret)")
            }
            try machine.must("cd /etc/gatehouse/credentials && rm *_previous && systemctl restart gatehouse")
            #expect(try me(on: machine) == "200")
            #expect(try refresh(on: machine) == "200")
        }

        @Test("goes back to a backup, and keeps what was there before")
        func restore() throws {
            let machine = try Machine.serving()
            try signIn(on: machine)
            try machine.must("systemctl start gatehouse-backup")
            try machine.must("cp /root/session.json /root/first.json")
            try signIn(on: machine)
            let restore = "gatehouse restore /var/lib/gatehouse/backups/gatehouse-*.db"
            let refusal = try machine.run(restore)
            #expect(refusal.status == 1 && refusal.complaint.contains("stop it first"))
            try machine.must("systemctl stop gatehouse.socket")
            try machine.must(restore)
            try machine.must("systemctl start gatehouse")
            #expect(try machine.run("gatehouse check").status == 0)
            #expect(try machine.must("gatehouse users list | grep -c user_") == "1")
            #expect(try machine.must("ls /var/lib/gatehouse/gatehouse.db-before-*").contains("before"))
            #expect(try machine.must("stat -c '%a %U' /var/lib/gatehouse/gatehouse.db") == "600 gatehouse")
            try machine.must("cp /root/first.json /root/session.json")
            #expect(try refresh(on: machine) == "200")
            #expect(try machine.login() == Machine.wholeLogin)
        }

        // MARK: An app

        private static let json = "-H 'Content-Type: application/json'"
        private static let api = "https://localhost/api"

        private func signIn(on machine: Machine) throws {
            let login = "curl -skf \(Self.api)/auth/apple \(Self.json) -d @- -o /root/session.json"
            try machine.must("curl -sf http://127.0.0.1:8444/mint | \(login)")
        }

        private func me(on machine: Machine) throws -> String {
            try machine.must(
                """
                token=$(sed 's/.*"accessToken":"//; s/".*//' /root/session.json)
                curl -sk -o /dev/null -w '%{http_code}' \(Self.api)/users/me -H "Authorization: Bearer $token"
                """)
        }

        private func refresh(on machine: Machine) throws -> String {
            try machine.must(
                """
                curl -sk -o /root/next.json -w '%{http_code}' \(Self.api)/auth/refresh \(Self.json) -d @/root/session.json
                mv /root/next.json /root/session.json
                """)
        }
    }
}

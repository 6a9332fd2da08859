import TestSupport
import Testing

extension MachineTests {
    /// Follows the operators' documentation.
    @Suite("Operation")
    struct OperationTests {
        @Test("gatehouse check finds no fault and reports the backups")
        func check() throws {
            let machine = try Machine.serving()
            #expect(try machine.login() == Machine.successfulLogin)
            try machine.mustRun("systemctl start gatehouse-backup")
            // The fake Apple is the only fault of a new installation.
            #expect(try machine.faults() == [])
            let report = try machine.run("gatehouse check").text
            for subject in ["configuration", "database", "integrity", "units", "socket", "server", "nginx", "backups"] {
                #expect(report.contains("ok     \(subject) "), "\(report)")
            }
            #expect(try machine.mustRun("gatehouse health").contains("ok"))
            let metrics = try machine.mustRun("curl -sf http://127.0.0.1:9180/metrics")
            #expect(metrics.contains(/gatehouse_last_backup_timestamp_seconds [1-9]/))
            #expect(try machine.mustRun("systemctl show -P StatusText gatehouse").contains("requests/s"))
        }

        @Test("Every key is rotated three times, encrypted again and retired, and no session ends")
        func rotation() throws {
            let machine = try Machine.serving()
            try logIn(on: machine)
            for key in ["jwt_access_secret", "jwt_refresh_secret", "data_key"] {
                try rotate(key, on: machine, restarting: false)
                try rotate(key, on: machine, restarting: false)
                try rotate(key, on: machine, restarting: true)
                #expect(try me(on: machine) == "200", "\(key)")
                #expect(try refresh(on: machine) == "200", "\(key)")
                #expect(try machine.mustRun("grep -vc '^#' \(Self.credentials)/\(key)_previous") == "3")
            }
            #expect(try machine.mustRun("stat -c '%a %U' \(Self.credentials)/*_previous | sort -u") == "600 root")
            // `keys retire` keeps a key that is still needed.
            for key in ["jwt_access_secret", "jwt_refresh_secret"] {
                try machine.mustRun("gatehouse keys retire \(key)")
            }
            #expect(try machine.mustRun("ls \(Self.credentials)/*_previous | wc -l") == "3")
            try machine.mustRun(
                "gatehouse keys reseal && gatehouse keys retire data_key --yes && systemctl restart gatehouse")
            try machine.mustRun("test ! -e \(Self.credentials)/data_key_previous")
            let report = try machine.run("gatehouse check").text
            #expect(report.contains("ok     sealed data"), "\(report)")
            try loseDataKey(on: machine)
            try rotateSigningKey(on: machine)
            #expect(try machine.login() == Machine.successfulLogin)
        }

        /// A lost data key is a fault until the key is back or the values that it encrypted are discarded.
        private func loseDataKey(on machine: Machine) throws {
            let database = "/var/lib/gatehouse/gatehouse.db"
            let sealed = "sqlite3 \(database) 'SELECT count(refresh_token) FROM auth_accounts' | grep -qx 1"
            #expect(machine.eventuallySucceeds(sealed), "Apple's refresh token is stored")
            try machine.mustRun(
                """
                cd \(Self.credentials) && mv data_key /root/data_key && gatehouse keys generate --alg HS256 --out data_key
                systemctl restart gatehouse
                """)
            #expect(try machine.run("gatehouse check").text.contains("FAULT  sealed data"))
            try machine.mustRun("cp /root/data_key \(Self.credentials)/data_key_previous")
            #expect(try machine.run("gatehouse check").text.contains("1 values are sealed with a previous DATA_KEY"))
            try machine.mustRun("rm \(Self.credentials)/data_key_previous")
            #expect(try machine.run("gatehouse keys reseal").status == 1)
            try machine.mustRun("gatehouse keys reseal --discard --yes")
            #expect(try machine.faults() == [])
        }

        private static let credentials = "/etc/gatehouse/credentials"

        private func rotate(_ key: String, on machine: Machine, restarting: Bool) throws {
            let restart = restarting ? " && systemctl restart gatehouse" : ""
            try machine.mustRun("gatehouse keys rotate \(key)\(restart)")
        }

        private func rotateSigningKey(on machine: Machine) throws {
            let key = "access_signing_key"
            try machine.mustRun(
                "gatehouse keys generate --out \(Self.credentials)/\(key) && systemctl restart gatehouse")
            for _ in 0..<2 {
                #expect(try refresh(on: machine) == "200")
                try machine.mustRun("gatehouse keys rotate \(key)")
                let early = try machine.run("gatehouse keys rotate \(key)")
                #expect(early.status == 1 && early.errorOutput.contains("systemctl restart gatehouse"))
                try machine.mustRun("gatehouse keys rotate \(key) --now && systemctl restart gatehouse")
                #expect(try me(on: machine) == "200")
            }
            let keySet = try machine.mustRun("curl -skf https://localhost/.well-known/jwks.json")
            #expect(keySet.matches(of: /"kid"/).count == 3, "\(keySet)")
        }

        @Test("A restore brings back the backup and keeps the previous database")
        func restore() throws {
            let machine = try Machine.serving()
            try logIn(on: machine)
            try machine.mustRun("systemctl start gatehouse-backup")
            try machine.mustRun("cp /root/session.json /root/first.json")
            try logIn(on: machine)
            let restore = "gatehouse restore /var/lib/gatehouse/backups/gatehouse-*.db"
            let refusal = try machine.run(restore)
            #expect(refusal.status == 1 && refusal.errorOutput.contains("stop it first"))
            try machine.mustRun("systemctl stop gatehouse.socket")
            try machine.mustRun(restore)
            try machine.mustRun("systemctl start gatehouse")
            #expect(try machine.faults() == [])
            #expect(try machine.mustRun("gatehouse users list | grep -c user_") == "1")
            #expect(try machine.mustRun("ls /var/lib/gatehouse/gatehouse.db-before-*").contains("before"))
            #expect(try machine.mustRun("stat -c '%a %U' /var/lib/gatehouse/gatehouse.db") == "600 gatehouse")
            try machine.mustRun("cp /root/first.json /root/session.json")
            #expect(try refresh(on: machine) == "200")
            #expect(try machine.login() == Machine.successfulLogin)
        }

        // MARK: - Requests

        private static let json = "-H 'Content-Type: application/json'"
        private static let api = "https://localhost/api"

        private func logIn(on machine: Machine) throws {
            let login = "curl -skf \(Self.api)/auth/apple \(Self.json) -d @- -o /root/session.json"
            try machine.mustRun("curl -sf http://127.0.0.1:8444/mint | \(login)")
        }

        private func me(on machine: Machine) throws -> String {
            try machine.mustRun(
                """
                token=$(sed 's/.*"accessToken":"//; s/".*//' /root/session.json)
                curl -sk -o /dev/null -w '%{http_code}' \(Self.api)/users/me -H "Authorization: Bearer $token"
                """)
        }

        private func refresh(on machine: Machine) throws -> String {
            try machine.mustRun(
                """
                curl -sk -o /root/next.json -w '%{http_code}' \(Self.api)/auth/refresh \(Self.json) -d @/root/session.json
                mv /root/next.json /root/session.json
                """)
        }
    }
}

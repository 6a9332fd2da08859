import TestSupport
import Testing

extension MachineTests {
    /// Causes one fault after another. `gatehouse check` must find it, and its advice must remove it.
    @Suite("gatehouse check")
    struct CheckTests {
        private let machine: Machine

        init() throws {
            machine = try Machine.serving()
            try machine.mustRun("echo PUBLIC_URL=https://api.example.com >>/etc/gatehouse/gatehouse.conf")
            try machine.mustRun("systemctl reload gatehouse")
        }

        @Test("Each fault is found, and following its advice removes it")
        func faults() throws {
            #expect(try machine.faults() == [])
            let report = try machine.run("gatehouse check").text
            for subject in ["units", "nginx", "certificate", "public address", "limits"] {
                #expect(report.contains("ok     \(subject) "), "\(report)")
            }
            #expect(report.contains(/FAULT  production +APPLE_JWKS_URL.*127\.0\.0\.1:8444 is not Apple/))
            #expect(report.contains(/ok     limits +[0-9]+ open files are allowed to the server/))
            for metric in ["public_probe_success 1", "public_certificate_not_after_seconds 2"] {
                #expect(
                    machine.eventuallySucceeds(
                        "curl -sf http://127.0.0.1:9180/metrics | grep -q '^gatehouse_\(metric)'"))
            }
            try stranger()
            try certificate()
            try front()
            try units()
            try backups()
            try settings()
            try server()
            #expect(try machine.login() == Machine.successfulLogin)
            try backup()
        }

        /// The backup is a complete database, and the server without a fault reports it.
        private func backup() throws {
            try machine.mustRun("systemctl start gatehouse-backup")
            let copy = try machine.mustRun("ls -d /var/lib/gatehouse/backups/* | tail -n 1")
            #expect(try machine.mustRun("stat -c '%a %U' '\(copy)'") == "600 gatehouse")
            let content = "PRAGMA integrity_check; SELECT count(*) FROM users"
            #expect(try machine.mustRun("sqlite3 '\(copy)' '\(content)'") == "ok\n1")
            let timers = try machine.mustRun("systemctl list-timers --no-legend gatehouse-backup.timer")
            #expect(timers.contains("gatehouse-backup"))
            let report = try machine.run("gatehouse check").text
            for subject in ["configuration", "database", "integrity", "socket", "server", "backups"] {
                #expect(report.contains("ok     \(subject) "), "\(report)")
            }
            #expect(try machine.mustRun("gatehouse health").contains("ok"))
            let metrics = try machine.mustRun("curl -sf http://127.0.0.1:9180/metrics")
            #expect(metrics.contains(/gatehouse_last_backup_timestamp_seconds [1-9]/))
            #expect(machine.eventuallySucceeds("systemctl show -P StatusText gatehouse | grep -q requests/s"))
        }

        /// Causes a fault, expects it in the report, follows the advice and expects the fault to be gone.
        ///
        /// - Parameters:
        ///   - others: subjects that report a fault at the same time.
        ///   - command: the command to run, which the advice must contain.
        private func expect(
            _ subject: String, _ message: String, with others: Set<String> = [], after cause: String,
            thenOver command: String, preparedBy preparation: String? = nil, _ place: SourceLocation = #_sourceLocation
        ) throws {
            try machine.mustRun(cause)
            let faults = try machine.faults()
            let own = faults.filter { $0.subject == subject }
            #expect(own.count == 1, "\(faults)", sourceLocation: place)
            #expect(own.first?.message.contains(message) == true, "\(faults)", sourceLocation: place)
            #expect(own.first?.advice.contains(command) == true, "\(faults)", sourceLocation: place)
            #expect(Set(faults.map(\.subject)).subtracting([subject]) == others, "\(faults)", sourceLocation: place)
            if let preparation { try machine.mustRun(preparation) }
            try machine.mustRun(command)
            // systemd and nginx may need a moment.
            var left: [Machine.Fault] = faults
            let isFixed = Eventually.holds {
                left = (try? machine.faults()) ?? left
                return left == []
            }
            #expect(isFixed, "\(left)", sourceLocation: place)
        }

        /// Root does not connect to a database server itself: what root alone can reach does not count.
        private func server() throws {
            try machine.mustRun("install -d -m 700 /run/of-root")
            let url = "postgresql://gatehouse@/gatehouse?host=/run/of-root"
            let report = try machine.run("DATABASE_URL='\(url)' gatehouse check").text
            #expect(report.contains(/FAULT  database .*Permission denied/), "\(report)")
            #expect(report.contains("ok     nginx ") && !report.contains("gatehouse-backup.timer does"), "\(report)")
        }

        /// For a user without rights, a check that needs root is a note and not a fault.
        private func stranger() throws {
            let lines = try machine.run("runuser -u daemon -- gatehouse check").text.split(separator: "\n")
            #expect(lines.contains { $0.hasPrefix("note   nginx ") && $0.contains("only root can") }, "\(lines)")
            #expect(lines.filter { $0.hasPrefix("FAULT") && !$0.contains("is not Apple") } == [])
        }

        private func issue(days: Int) -> String {
            """
            openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days \(days) -subj /CN=a \
                -addext subjectAltName=DNS:api.example.com -keyout /root/tls.key -out /root/tls.pem 2>/dev/null
            """
        }

        private func certificate() throws {
            try machine.mustRun(
                "printf 'CERTIFICATE=/root/tls.pem\\nCERTIFICATE_KEY=/root/tls.key\\n' >>/etc/gatehouse/nginx.values")
            try machine.mustRun("\(issue(days: 3)) && gatehouse-nginx")
            // It is self-signed, and not the one that gatehouse-nginx makes.
            let advice = "replace the file that CERTIFICATE in /etc/gatehouse/nginx.values names"
            #expect(Eventually.holds { (try? machine.faults().map(\.advice).first?.contains(advice)) == true })
            // The certificate was renewed without a reload of nginx.
            try expect(
                "certificate", "its file has a newer certificate", after: issue(days: 90),
                thenOver: "systemctl reload nginx")
            try machine.mustRun("sed -i '/^CERTIFICATE/d' /etc/gatehouse/nginx.values && gatehouse-nginx")
        }

        private func front() throws {
            try expect(
                "nginx", "nginx is not running", with: ["public address"], after: "systemctl stop nginx",
                thenOver: "systemctl start nginx")
            try expect(
                "nginx", "no site that passes /api/", with: ["public address"],
                after: """
                    rm /etc/nginx/sites-enabled/gatehouse.conf && systemctl reload nginx
                    until ! curl -sk https://127.0.0.1/api/ | grep -q requestId; do sleep 0.1; done
                    """,
                thenOver:
                    "ln -s ../sites-available/gatehouse.conf /etc/nginx/sites-enabled/ && nginx -t && systemctl reload nginx"
            )
            try expect(
                "nginx", "unknown directive \"nonsense\"", after: "echo 'nonsense;' >/etc/nginx/conf.d/other.conf",
                thenOver: "nginx -t && systemctl reload-or-restart nginx", preparedBy: "rm /etc/nginx/conf.d/other.conf"
            )
            try expect(
                "socket", "daemon may not connect", with: ["public address"],
                after: "sed -i 's/^user .*/user daemon daemon;/' /etc/nginx/nginx.conf && systemctl restart nginx",
                thenOver: "systemctl restart gatehouse.socket gatehouse",
                preparedBy: """
                    mkdir -p /etc/systemd/system/gatehouse.socket.d
                    printf '[Socket]\\nSocketGroup=daemon\\n' >/etc/systemd/system/gatehouse.socket.d/override.conf
                    systemctl daemon-reload
                    """)
        }

        private func units() throws {
            try expect(
                "units", "gatehouse.socket and gatehouse.service are stopped", with: ["public address"],
                after: "systemctl stop gatehouse.socket", thenOver: "systemctl start gatehouse")
            try expect(
                "units", "gatehouse-backup.service has failed",
                after: """
                    mkdir /etc/systemd/system/gatehouse-backup.service.d
                    printf '[Service]\\nExecStartPre=/bin/false\\n' >/etc/systemd/system/gatehouse-backup.service.d/x.conf
                    systemctl daemon-reload
                    ! systemctl start gatehouse-backup.service
                    """, thenOver: "systemctl reset-failed gatehouse-backup.service",
                preparedBy: "rm -r /etc/systemd/system/gatehouse-backup.service.d && systemctl daemon-reload")
        }

        private func backups() throws {
            let aged = "UPDATE documents SET updated_at = updated_at - 200000000 WHERE name = 'last_backup'"
            try expect(
                "backups", "more than two days ago",
                after: "systemctl start gatehouse-backup && sqlite3 /var/lib/gatehouse/gatehouse.db \"\(aged)\"",
                thenOver: "systemctl start gatehouse-backup.service")
        }

        private func settings() throws {
            try expect(
                "production", "APP_ENV=development, and clients use https://api.example.com",
                after: "echo APP_ENV=development >>/etc/gatehouse/gatehouse.conf",
                thenOver: "systemctl reload gatehouse",
                preparedBy: "sed -i '/^APP_ENV=/d' /etc/gatehouse/gatehouse.conf")
            let secret = "/etc/gatehouse/credentials/dev_login_secret"
            try expect(
                "production", "DEV_LOGIN_SECRET is set",
                after: "(umask 077; echo a-secret-of-the-developers >\(secret))", thenOver: "rm \(secret)")
        }
    }
}

import TestSupport
import Testing

extension MachineTests {
    /// What the service can read, and root too: root alone cannot tell whether the next start succeeds.
    @Suite("Secrets of the service")
    struct SecretsTests {
        private static let secret = "whsec_$(openssl rand -base64 32)"
        private static let folder = "/etc/gatehouse/credentials/receivers"

        private let machine: Machine

        init() throws {
            machine = try Machine.serving()
        }

        /// A cause, what is said of it, and the advice that removes it.
        private static let causes = [
            (
                "(umask 077; echo \(secret) >/etc/gatehouse/sms); sed -i '$aSMS_URL=https://sms.example.com\\nSMS_SECRET_FILE=/etc/gatehouse/sms' /etc/gatehouse/gatehouse.conf",
                "SMS_SECRET cannot open /etc/gatehouse/sms: Permission denied",
                "chgrp gatehouse /etc/gatehouse/sms && chmod 640 /etc/gatehouse/sms"
            ),
            (
                "chmod 600 /etc/gatehouse/receivers.d/billing.conf", "receivers.d/billing.conf cannot be read",
                "chgrp gatehouse /etc/gatehouse/receivers.d/billing.conf && chmod 640 /etc/gatehouse/receivers.d/billing.conf"
            ),
            (
                "mv \(folder)/billing /root/billing; ln -s /root/billing \(folder)/billing",
                "systemd does not pass \(folder)/billing: it is a symbolic link",
                "install -m 600 \"$(readlink -f \(folder)/billing)\" \(folder)/billing.new && mv \(folder)/billing.new \(folder)/billing"
            ),
            ("cp \(folder)/billing \(folder)/a:b", "systemd cannot pass \(folder)/a:b", "rm \(folder)/a:b"),
        ]

        @Test("The check reads what the service would, and its advice lets the next start succeed")
        func check() throws {
            try machine.mustRun("(umask 077; echo \(Self.secret) >\(Self.folder)/billing)")
            try machine.write("URL=https://billing.example.com/events\n", to: "/etc/gatehouse/receivers.d/billing.conf")
            for (cause, message, advice) in Self.causes {
                try machine.mustRun("gatehouse check --settings && systemctl restart gatehouse")
                try machine.mustRun(cause)
                let settings = try machine.run("gatehouse check --settings")
                #expect(
                    settings.status == 2 && settings.text.contains(message) && settings.text.contains(advice),
                    "\(settings.text)")
                let all = try machine.run("gatehouse check --offline")
                #expect(all.status != 0 && all.text.contains(message) && all.text.contains(advice), "\(all.text)")
                #expect(
                    try machine.run("systemctl restart gatehouse", in: 20).status != 0,
                    "the start that it warns of: \(cause)")
                try machine.mustRun(advice)
                try machine.mustRun("gatehouse check --settings && systemctl start gatehouse.socket gatehouse")
                #expect(try machine.login() == Machine.successfulLogin)
            }
            // What the page asks for is no fault and needs no note.
            #expect(!(try machine.run("gatehouse check --offline").text.contains("SMS_SECRET")))
            #expect(try machine.mustRun("ls /run /run/systemd/system | grep gatehouse-settings || true") == "")
        }

        @Test("A reload takes over secrets that were added, changed and removed, and nothing can write to them")
        func reload() throws {
            let process = try machine.mustRun("systemctl show -P MainPID gatehouse")
            func changed() throws -> String {
                try machine.mustRun("systemctl reload gatehouse")
                return try machine.mustRun("journalctl --sync; journalctl -u gatehouse -o cat -g '\"reloaded\"' -n 1")
            }
            func ask() throws -> String {
                try machine.mustRun(
                    "curl -s -o /dev/null -w '%{http_code}' -H 'Authorization: Bearer '$(cat /root/token) http://127.0.0.1:9180/users/x"
                )
            }
            try machine.mustRun("openssl rand -hex 32 >/root/token")
            #expect(try ask() == "401")
            let tokens = "/etc/gatehouse/credentials/service_tokens"
            try machine.mustRun(
                "(umask 077; echo \"shop $(cat /root/token)\" >\(tokens); echo \(Self.secret) >\(Self.folder)/billing)")
            try machine.write("URL=https://billing.example.com/events\n", to: "/etc/gatehouse/receivers.d/billing.conf")
            var line = try changed()
            #expect(line.contains("SERVICE_TOKENS") && line.contains("receivers.d/billing: SECRET"), "\(line)")
            #expect(try ask() != "401")
            try machine.mustRun("echo \(Self.secret) >\(Self.folder)/billing; rm \(tokens)")
            line = try changed()
            #expect(line.contains("SERVICE_TOKENS") && line.contains("receivers.d/billing: SECRET"), "\(line)")
            #expect(try ask() == "401")
            #expect(try changed().contains("\"changed\":[]"))
            let copies = "/run/credentials/gatehouse.service"
            #expect(try machine.run("touch \(copies)/x").status != 0)
            #expect(try machine.mustRun("stat -c '%U %a' \(copies)/receivers_billing") == "gatehouse 400")
            try machine.mustRun("rm \(Self.folder)/billing")
            #expect(try machine.run("systemctl reload gatehouse").status != 0, "the receiver has no secret any more")
            #expect(try machine.mustRun("systemctl show -P MainPID gatehouse") == process)
            #expect(!machine.journal.contains(/whsec_[A-Za-z0-9]/))
        }
    }
}

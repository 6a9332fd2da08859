import Foundation
import TestSupport
import Testing

extension MachineTests {
    /// Pastes the commands of the pages for operators into a root shell on one server, in an order that an operator could
    /// choose.
    @Suite("Commands of the documentation on a server")
    struct ServerPagesTests {
        private static let catalogue = "Sources/Server/Gatehouse/Gatehouse.docc/"
        private static let operations = catalogue + "Operations.md"
        private static let services = catalogue + "Services.md"
        private static let configuration = catalogue + "Configuration.md"
        private static let backups = catalogue + "Backups.md"
        private static let credentials = "/etc/gatehouse/credentials"

        private let machine: Machine

        init() throws {
            machine = try Machine.serving()
            try machine.put(DebianPackage.second.get(), at: "/root/gatehouse_0.2.0-1_amd64.deb")
            try machine.mustRun(
                """
                mv /root/gatehouse.deb /root/gatehouse_0.1.0-1_amd64.deb
                echo 127.0.0.1 api.example.com >>/etc/hosts
                """)
        }

        /// The check finds one fault on every server of these tests: the fake Apple.
        private static let shell = """
            gatehouse() {
                if [ "$*" != check ]; then command gatehouse "$@"; return; fi
                command gatehouse check >/root/report || ! grep FAULT /root/report | grep -v 'is not Apple'
            }

            """

        /// Pastes the blocks of a section. The shell stops at the first command that fails.
        private func paste(
            _ page: String, _ section: String, replacing old: String = "", with new: String = "",
            _ place: SourceLocation = #_sourceLocation
        ) throws {
            let blocks = try DocumentationPage(path: page).blocks(of: section)
            for block in blocks {
                let text = old.isEmpty ? block : block.replacing(old, with: new)
                try machine.write(Self.shell + text + "\n", to: "/root/pasted")
                let outcome = try machine.run("cd /root && bash -e -o pipefail -s </root/pasted")
                #expect(
                    outcome.status == 0, "\(page), \(section):\n\(block)\n\(outcome.text)\(outcome.errorOutput)",
                    sourceLocation: place)
            }
        }

        @Test("Every command succeeds, and the users stay signed in")
        func succeed() throws {
            // With only one package in the folder, as an operator has it.
            try machine.mustRun("mkdir /root/newer && mv /root/gatehouse_0.2.0-1_amd64.deb /root/newer/")
            try paste(Self.operations, "Installing")
            try paste("README.md", "In production")
            try paste("nginx/README.md", "Test the webroot")
            try paste("nginx/README.md", "For the machine itself")
            try paste(Self.services, "A token for the service")
            for section in ["Overview", "Checking", "Health"] { try paste(Self.operations, section) }
            #expect(try machine.login() == Machine.successfulLogin)
            try paste(Self.backups, "Backing up")
            try paste(Self.backups, "The daily backup of the package")
            try paste(Self.backups, "Restoring")
            #expect(try machine.login() == Machine.successfulLogin)
            try providers()
            try receivers()
            try removedDatabase()
            try keys()
            try journal()
            #expect(try machine.login() == Machine.successfulLogin)
            try upgrade()
        }

        /// The audit trail has the last login, so what was written after the removal is there.
        private func removedDatabase() throws {
            let count = "gatehouse audit --limit 1000 --json | grep -o '\"kind\"' | wc -l"
            let before = try #require(Int(machine.mustRun(count)))
            try machine.mustRun("cd /var/lib/gatehouse && rm gatehouse.db gatehouse.db-wal gatehouse.db-shm")
            #expect(try machine.login() == Machine.successfulLogin)
            // The server looks once a second.
            let fault = "FAULT  the open database file is not in its place"
            #expect(machine.eventuallySucceeds("gatehouse health | grep -q '\(fault)'"))
            try paste(Self.backups, "A database that was removed")
            #expect(try #require(Int(machine.mustRun(count))) > before)
            #expect(try machine.login() == Machine.successfulLogin)
        }

        private func providers() throws {
            let file = "/etc/gatehouse/providers.d/google.conf"
            try machine.write("KIND=google\nAUDIENCE=app.example.com\n", to: file)
            try paste(Self.catalogue + "Providers.md", "Overview")
            #expect(try machine.mustRun("gatehouse providers list").contains("app.example.com"))
            try machine.mustRun("rm \(file)")
        }

        /// The reload and the check accept the file without a secret only if systemd has loaded it from the folder.
        private func receivers() throws {
            let (page, file) = (Self.catalogue + "Events.md", "/etc/gatehouse/receivers.d/billing.conf")
            try paste(page, "The secret")
            // nginx plays both receivers.
            let site = "/etc/nginx/conf.d/receivers.conf"
            try machine.write("server { listen 127.0.0.1:8099; return 204; }\n", to: site)
            try machine.mustRun("systemctl reload nginx")
            try machine.write("URL=http://127.0.0.1:8099/\n", to: file)
            try paste(page, "Receivers", replacing: "https://crm.example.com", with: "http://127.0.0.1:8099")
            #expect(try machine.mustRun("grep -c 'ok .*receiver' /root/report") == "2")
            try machine.mustRun(
                "rm \(file) \(site) && systemctl reload nginx && sed -i /^EVENTS_URL/d /etc/gatehouse/gatehouse.conf")
            try machine.mustRun("systemctl restart gatehouse")
        }

        private func keys() throws {
            try paste(Self.configuration, "Changing settings on a server")
            try paste(Self.configuration, "Keys")
            try machine.mustRun(
                "gatehouse keys generate --out \(Self.credentials)/access_signing_key && systemctl restart gatehouse")
            try paste(Self.configuration, "Rotating keys on a server")
            try paste(Self.configuration, "A stolen refresh secret")
            try machine.mustRun("cd \(Self.credentials) && cp data_key /root/ && gatehouse keys rotate data_key")
            let old = try machine.mustRun("grep -v '^#' /root/data_key")
            try machine.mustRun("rm \(Self.credentials)/data_key_previous")
            try paste(Self.configuration, "Sealed data that no key opens", replacing: "THE OLD KEY", with: old)
        }

        /// A journal that has dropped no lines answers 1.
        private func journal() throws {
            try paste(
                Self.catalogue + "Observability.md", "Lines that journald drops", replacing: "--since -1d",
                with: "--since -1d || test $? = 1")
            #expect(try machine.mustRun("systemctl show -P LogRateLimitIntervalUSec gatehouse") == "0")
        }

        /// To the newer package, and back with the backup that was made before.
        private func upgrade() throws {
            try machine.mustRun("mv /root/newer/*.deb /root/")
            let version = try machine.mustRun("dpkg-query -W -f '${Version}' gatehouse")
            try paste(Self.operations, "Upgrading", replacing: "from-0.1.0-1", with: "from-\(version)")
            #expect(try machine.mustRun("dpkg-query -W -f '${Version}' gatehouse") == version)
            #expect(try machine.login() == Machine.successfulLogin)
        }
    }
}

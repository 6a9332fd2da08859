import Foundation
import TestSupport
import Testing

extension MachineTests {
    /// With `GATEHOUSE_RELEASE`, that of a release which was made before: `deploy/release --check`.
    @Suite("The apt repository of a release")
    struct RepositoryTests {
        private static let page = DocumentationPage(path: "Sources/Server/Gatehouse/Gatehouse.docc/Packages.md")

        /// The commands of the page, from a folder of the machine, which has no network.
        private func commands() throws -> String {
            try Self.page.blocks(of: "Installing from the repository").joined(separator: "\n")
                .replacing("https://downloads.example.com", with: "file:///srv")
        }

        @Test("apt installs from it by the commands of the page; the server is ready, and users sign in")
        func installs() throws {
            let machine = try Machine()
            try machine.put(ReleasedCheckout.files.get(), at: "/srv/gatehouse")
            try machine.mustRun("set -e\n" + commands())
            #expect(try machine.mustRun("apt-cache policy gatehouse").contains("file:/srv/gatehouse stable/main"))
            try machine.configure()
            try machine.mustRun("systemctl start gatehouse && gatehouse health")
            #expect(try machine.mustRun("curl -sS --fail http://127.0.0.1:9180/healthz").contains(#""status":"ok""#))
            #expect(try machine.login() == Machine.successfulLogin)
            try refusesChanges(on: machine)
        }

        /// Of a package with other bytes, of an index with other checksums, and of an index that another key or none has signed.
        private func refusesChanges(on machine: Machine) throws {
            let index = "/srv/gatehouse/dists/stable"
            // Without a network, apt would wait for Debian's own repository.
            try machine.mustRun("rm -f /etc/apt/sources.list")
            let install = "apt-get update && apt-get install --yes --reinstall gatehouse"
            #expect(try machine.run(install).status == 0)
            for (change, message) in [
                ("for package in /srv/gatehouse/*.deb; do echo >>$package; done", "Hash Sum mismatch|unexpected size"),
                (
                    "sed -i s/^SHA256:./SHA256:0/ \(index)/main/*/Packages; rm \(index)/main/*/*.gz",
                    "Hash Sum mismatch|unexpected size|File not found"
                ),
                ("sed -i s/Gatehouse/Somebody/ \(index)/InRelease", "signature|BADSIG"),
                ("rm \(index)/InRelease \(index)/Release.gpg", "not signed"),
            ] {
                try machine.mustRun("cp -r /srv/gatehouse /srv/kept && apt-get clean && rm -rf /var/lib/apt/lists/*")
                try machine.mustRun(change)
                let outcome = try machine.run("(\(install)) 2>&1")
                let isFound = try outcome.text.contains(Regex(message))
                #expect(outcome.status != 0 && isFound, "\(change): \(outcome.text)")
                try machine.mustRun("rm -r /srv/gatehouse && mv /srv/kept /srv/gatehouse")
            }
        }
    }
}

import TestSupport
import Testing

extension MachineTests {
    @Suite("Restart under load")
    struct RestartTests {
        /// With `GATEHOUSE_RELEASE`, upgrades of the earlier packages in that release: `deploy/release --check`.
        @Test("An upgrade loses no request, and ends no session")
        func upgrade() throws {
            let (packages, next) = try DebianPackage.upgrades.get()
            for package in packages { try upgrade(from: package, to: next) }
        }

        private func upgrade(from package: String, to next: String) throws {
            let machine = try Machine.serving(package)
            let before = try machine.mustRun("systemctl show -P MainPID gatehouse")
            let load = try LoadGenerator(on: machine)
            try load.answers(60)
            try machine.install(next)
            try load.answers(60)
            let outcome = try load.stop()
            #expect(outcome.requests > 100)
            #expect(outcome.failures == [], "from \(package): \(machine.journal)")
            // Another version may have another configuration of nginx, whose reload closes kept connections that are idle.
            #expect(ReleasedCheckout.given != nil || outcome.repeated == [])
            let version = try machine.mustRun("dpkg-query -W -f '${Version}' gatehouse")
            #expect(next.contains("/gatehouse_\(version)_"))
            #expect(try machine.mustRun("systemctl show -P MainPID gatehouse") != before)
        }

        @Test("The monitoring tells an operator's restart from that after a crash")
        func cause() throws {
            let machine = try Machine.serving()
            func followsStop() throws -> String {
                try machine.mustRun(
                    "curl -sS http://127.0.0.1:9180/metrics | sed -n 's/^gatehouse_start_follows_stop //p'")
            }
            try machine.mustRun("systemctl restart gatehouse")
            #expect(try followsStop() == "1")
            let process = try machine.mustRun("systemctl show -P MainPID gatehouse")
            try machine.mustRun("kill -9 \(process)")
            let next = "p=$(systemctl show -P MainPID gatehouse); [ $p != 0 ] && [ $p != \(process) ]"
            #expect(machine.eventuallySucceeds(next))
            #expect(try machine.login() == Machine.successfulLogin)
            #expect(try followsStop() == "0")
        }
    }
}

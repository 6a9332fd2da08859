import TestSupport
import Testing

extension MachineTests {
    @Suite("Restart under load")
    struct RestartTests {
        @Test("An upgrade loses no request")
        func upgrade() throws {
            let machine = try Machine.serving()
            let next = try DebianPackage.second.get()
            let before = try machine.mustRun("systemctl show -P MainPID gatehouse")
            let load = try LoadGenerator(on: machine)
            try load.answers(60)
            try machine.install(next)
            try load.answers(60)
            let outcome = try load.stop()
            #expect(outcome.requests > 100)
            #expect(outcome.failures == [], "\(machine.journal)")
            #expect(try machine.mustRun("dpkg-query -W -f '${Version}' gatehouse").hasSuffix("-2"))
            #expect(try machine.mustRun("systemctl show -P MainPID gatehouse") != before)
        }
    }
}

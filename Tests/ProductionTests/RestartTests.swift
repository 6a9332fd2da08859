import TestSupport
import Testing

extension MachineTests {
    @Suite("under load")
    struct RestartTests {
        @Test("loses no request to a restart")
        func restart() throws {
            let machine = try Machine.serving()
            let load = try Load(on: machine)
            for _ in 0..<5 {
                load.pause(1)
                try machine.must("systemctl restart gatehouse")
            }
            load.pause(1)
            let outcome = try load.end()
            #expect(outcome.requests > 200)
            #expect(outcome.failures == [], "\(machine.journal)")
        }

        @Test("loses no request to an upgrade")
        func upgrade() throws {
            let machine = try Machine.serving()
            let next = try DebianPackage.second.get()
            let before = try machine.must("systemctl show -P MainPID gatehouse")
            let load = try Load(on: machine)
            load.pause(1)
            try machine.install(next)
            load.pause(1)
            let outcome = try load.end()
            #expect(outcome.requests > 100)
            #expect(outcome.failures == [], "\(machine.journal)")
            #expect(try machine.must("dpkg-query -W -f '${Version}' gatehouse").hasSuffix("-2"))
            #expect(try machine.must("systemctl show -P MainPID gatehouse") != before)
        }
    }
}

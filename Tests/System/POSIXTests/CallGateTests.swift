import POSIX
import Testing

@Suite("The gate of calls to other servers")
struct CallGateTests {
    private struct Failure: Error {}

    /// Whether the gate lets one more request in, which leaves at once.
    private func admits(_ gate: CallGate) -> Bool { gate.pass { () in true } ?? false }

    @Test("lets in as many requests as its limit, and refuses the next one at once")
    func limit() {
        let gate = CallGate(limit: 2)
        gate.pass {
            #expect(admits(gate))
            gate.pass {
                #expect(gate.count == 2)
                #expect(!admits(gate))
            }
            #expect(admits(gate))
        }
        #expect(gate.count == 0)
        #expect(!admits(CallGate(limit: 0)))
    }

    @Test("the shared limit counts the requests of all gates, and each gate has a limit of its own")
    func shared() {
        let shared = CallGate(limit: 3)
        let (first, second) = (CallGate(limit: 2, shared: shared), CallGate(limit: 2, shared: shared))
        first.pass {
            first.pass {
                #expect(!admits(first))
                #expect(admits(second))
                second.pass {
                    #expect(shared.count == 3)
                    #expect(!admits(second))
                    #expect((first.count, second.count) == (2, 1))
                }
            }
            #expect(admits(first))
        }
        #expect((first.count, second.count, shared.count) == (0, 0, 0))
    }

    @Test("a request that fails leaves both counts")
    func failing() {
        let shared = CallGate(limit: 1)
        let gate = CallGate(limit: 1, shared: shared)
        for _ in 0..<3 {
            #expect(throws: Failure.self) { try gate.pass { throw Failure() } }
            #expect((gate.count, shared.count) == (0, 0))
        }
    }
}

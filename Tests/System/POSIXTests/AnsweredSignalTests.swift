import Glibc
import TestSupport
import Testing

@testable import POSIX
@testable import Processes

@Suite("AnsweredSignal")
struct AnsweredSignalTests {
    @Test("fails if the process does not exist")
    func noProcess() throws {
        let gone = try ChildProcess(["/bin/true"], environment: [:], log: "/dev/null")
        _ = gone.wait()
        #expect(throws: POSIXError("signal the process \(gone.identifier)", code: ESRCH)) {
            try AnsweredSignal.ask(gone.identifier, .hangUp, within: .seconds(5))
        }
    }

    @Test("returns nil if no answer comes in time")
    func noAnswer() throws {
        let folder = try TemporaryFolder()
        let process = try ChildProcess(
            ["/bin/sh", "-c", "trap '' HUP; echo ready; sleep 60"], environment: [:], log: folder.file("log"))
        #expect(Eventually.holds { process.log.contains("ready") })
        let start = ContinuousClock.now
        #expect(try AnsweredSignal.ask(process.identifier, .hangUp, within: .milliseconds(300)) == nil)
        #expect(ContinuousClock.now - start >= .milliseconds(300))
    }
}

import Glibc
import TestSupport
import Testing

@testable import POSIX

@Suite("A signal that is answered")
struct AnsweredSignalTests {
    @Test("fails where there is no such process")
    func noProcess() throws {
        let gone = try ChildProcess(["/bin/true"], environment: [:], log: "/dev/null")
        _ = gone.wait()
        #expect(throws: POSIXError("signal the process \(gone.identifier)", code: ESRCH)) {
            try AnsweredSignal.ask(gone.identifier, .hangUp, within: .seconds(5))
        }
    }

    @Test("is given up where no answer comes in time")
    func noAnswer() throws {
        let folder = try TemporaryFolder()
        let deaf = try ChildProcess(
            ["/bin/sh", "-c", "trap '' HUP; echo ready; sleep 60"], environment: [:], log: folder.file("log"))
        #expect(Eventually.holds { deaf.log.contains("ready") })
        let start = ContinuousClock.now
        #expect(try AnsweredSignal.ask(deaf.identifier, .hangUp, within: .milliseconds(300)) == nil)
        #expect(ContinuousClock.now - start >= .milliseconds(300))
    }
}

package import Foundation

/// A program that a test has started and stops by its process id.
package protocol RunningProgram: AnyObject {
    var identifier: pid_t { get }
    /// The exit status, or 128 plus the number of the signal that killed it; nil while it runs.
    var exitStatus: Int32? { get }
}

extension RunningProgram {
    /// Sends a signal only while the program runs: afterwards its id may be reused.
    package func signal(_ number: Int32) {
        if exitStatus == nil { kill(identifier, number) }
    }

    package func wait(atMost seconds: Double = 40) -> Int32? {
        _ = Eventually.holds(within: seconds) { exitStatus != nil }
        return exitStatus
    }

    package func stop() {
        guard exitStatus == nil else { return }
        signal(SIGTERM)
        signal(SIGCONT)
        guard wait(atMost: 10) == nil else { return }
        signal(SIGKILL)
        _ = wait()
    }
}

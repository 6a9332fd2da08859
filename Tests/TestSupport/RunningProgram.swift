package import Foundation

/// A program that a test has started and ends by its process id, whoever its parent is.
package protocol RunningProgram: AnyObject {
    var identifier: pid_t { get }
    /// Its exit status, or 128 and the number of the signal that killed it; nil while it runs.
    var exitStatus: Int32? { get }
}

extension RunningProgram {
    /// Nobody else's process ever gets it: an id that is free again may be given away.
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

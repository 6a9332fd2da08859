import CLinux
import Glibc
package import POSIX

/// A signal that the receiver answers. It carries a value by which this program recognises its own signals. The
/// receiver answers with SIGUSR1 for success or SIGUSR2 for failure, to the process id in the signal, which the
/// sender's C library has filled in. Only root and the same user can send one. This needs no socket and no setting, so
/// it also works if the configuration is invalid.
package enum AnsweredSignal {
    private static let mark: Int32 = 0x6761_7465
    /// The kernel keeps one pending signal of each number: a signal sent while another is pending is lost
    /// and has to be sent again.
    private static let resendInterval = Duration.seconds(5)

    /// Sends a signal and returns the answer: whether it succeeded, or nil if there is no answer in time.
    package static func ask(
        _ process: Int32, _ signal: Signals.Signal, within time: Duration
    ) throws(POSIXError) -> Bool? {
        var answers = sigset_t()
        unsafe sigemptyset(&answers)
        for number in [SIGUSR1, SIGUSR2] { unsafe sigaddset(&answers, number) }
        // An answer that is not blocked would end this process.
        unsafe pthread_sigmask(SIG_BLOCK, &answers, nil)
        let deadline = ContinuousClock.now + time
        repeat {
            guard gatehouse_queue_signal(process, signal.rawValue, mark) == 0 else {
                throw POSIXError("signal the process \(process)")
            }
            let timeout = min(resendInterval, ContinuousClock.now.duration(to: deadline))
            if let answer = take(&answers, within: timeout) { return answer == SIGUSR1 }
        } while ContinuousClock.now < deadline
        return nil
    }

    /// The process that waits for an answer; nil for a signal from `kill`, a terminal or another program.
    static func asker(of taken: gatehouse_signal) -> Int32? {
        taken.code == SI_QUEUE && taken.value == mark && taken.sender > 0 ? taken.sender : nil
    }

    private static func take(_ answers: inout sigset_t, within time: Duration) -> Int32? {
        let (seconds, attoseconds) = max(time, .zero).components
        var limit = timespec(tv_sec: Int(seconds), tv_nsec: Int(attoseconds / 1_000_000_000))
        var taken = gatehouse_signal()
        guard unsafe gatehouse_take_signal(&answers, &limit, &taken) == 0 else { return nil }
        return taken.code == SI_QUEUE && taken.value == mark ? taken.number : nil
    }

    fileprivate static func answer(_ process: Int32, isDone: Bool) {
        // Sending fails if the sender has ended meanwhile.
        _ = gatehouse_queue_signal(process, isDone ? SIGUSR1 : SIGUSR2, mark)
    }
}

extension Signals.Delivery {
    /// Answers the sender, if it waits for an answer.
    package func answer(isDone: Bool) {
        if let asker { AnsweredSignal.answer(asker, isDone: isDone) }
    }
}

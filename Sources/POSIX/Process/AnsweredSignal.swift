import CLinux
import Glibc

/// A signal whose sender waits until it has been acted on. It carries a value that only this program sends, and is answered
/// by SIGUSR1 for yes or SIGUSR2 for no, to the process id that the signal carries: the sender's C library fills it in, and
/// only a process of the same user or root can send it. That needs no socket and no setting, so it works where the settings
/// are at fault.
package enum AnsweredSignal {
    private static let mark: Int32 = 0x6761_7465
    /// The kernel keeps one pending signal of a number: one that was sent while another waited has to be sent again.
    private static let pause = Duration.seconds(5)

    /// Sends a signal to a process of the same user. Nil where no answer comes in time.
    package static func ask(
        _ process: Int32, _ signal: Signals.Signal, within time: Duration
    ) throws(POSIXError) -> Bool? {
        var answers = sigset_t()
        unsafe sigemptyset(&answers)
        for number in [SIGUSR1, SIGUSR2] { unsafe sigaddset(&answers, number) }
        // An answer would otherwise end this process.
        unsafe pthread_sigmask(SIG_BLOCK, &answers, nil)
        let deadline = ContinuousClock.now + time
        repeat {
            guard gatehouse_queue_signal(process, signal.rawValue, mark) == 0 else {
                throw POSIXError("signal the process \(process)")
            }
            let patience = min(pause, ContinuousClock.now.duration(to: deadline))
            if let answer = take(&answers, within: patience) { return answer == SIGUSR1 }
        } while ContinuousClock.now < deadline
        return nil
    }

    /// Who sent a signal and waits; nil where it came from `kill`, a terminal or another program.
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
        // The sender may have given up and ended: then no process takes the answer.
        _ = gatehouse_queue_signal(process, isDone ? SIGUSR1 : SIGUSR2, mark)
    }
}

extension Signals.Delivery {
    /// Tells the sender, where it waits for that, that what the signal asks for is done or refused.
    package func answer(isDone: Bool) {
        if let asker { AnsweredSignal.answer(asker, isDone: isDone) }
    }
}

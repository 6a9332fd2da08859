import CLinux
import Glibc
package import POSIX

/// Signals that one thread waits for, instead of handlers that interrupt any thread.
package struct Signals: Sendable {
    package enum Signal: Int32, Sendable, CaseIterable {
        case hangUp = 1
        case interrupt = 2
        case terminate = 15
    }

    private let set: Set<Signal>

    /// Blocks these signals until `next()` takes them. Call it before any thread is started, since
    /// threads inherit the mask.
    package init(blocking signals: Set<Signal>) {
        set = signals
        var mask = Self.mask(of: signals)
        unsafe pthread_sigmask(SIG_BLOCK, &mask, nil)
    }

    /// A signal that has been taken.
    package struct Delivery: Sendable {
        package let signal: Signal
        /// The process that waits for an answer, if any.
        let asker: Int32?
    }

    /// Waits for the next signal.
    package func next() -> Delivery {
        var mask = Self.mask(of: set)
        while true {
            var taken = gatehouse_signal()
            guard unsafe gatehouse_take_signal(&mask, nil, &taken) == 0, let signal = Signal(rawValue: taken.number)
            else { continue }
            return Delivery(signal: signal, asker: AnsweredSignal.asker(of: taken))
        }
    }

    /// Whether a blocked signal to stop has arrived that `next()` has not taken yet.
    package static var isStopPending: Bool {
        var pending = sigset_t()
        guard unsafe sigpending(&pending) == 0 else { return false }
        return unsafe sigismember(&pending, SIGTERM) == 1 || sigismember(&pending, SIGINT) == 1
    }

    /// A write to a closed connection or to a file at its size limit fails with an error,
    /// instead of ending the process.
    package static func ignoreFailedWrites() {
        signal(SIGPIPE, SIG_IGN)
        signal(SIGXFSZ, SIG_IGN)
    }

    /// Ends this process by a blocked signal, so that the exit status names the signal.
    package static func end(by blocked: Signal) {
        signal(blocked.rawValue, SIG_DFL)
        var mask = mask(of: [blocked])
        unsafe pthread_sigmask(SIG_UNBLOCK, &mask, nil)
        kill(getpid(), blocked.rawValue)
    }

    static func mask(of signals: Set<Signal>) -> sigset_t {
        var mask = sigset_t()
        unsafe sigemptyset(&mask)
        for signal in signals { unsafe sigaddset(&mask, signal.rawValue) }
        return mask
    }
}

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

import CLinux
import Glibc

/// Signals, taken in turn by a thread that waits for them instead of by whichever thread they hit.
package struct Signals: Sendable {
    package enum Signal: Int32, Sendable, CaseIterable {
        case hangUp = 1
        case interrupt = 2
        case terminate = 15
    }

    private let set: Set<Signal>

    /// Keeps these signals for `next()`. To be called before any thread is started, since threads inherit the mask.
    package init(blocking signals: Set<Signal>) {
        set = signals
        var mask = Self.mask(of: signals)
        unsafe pthread_sigmask(SIG_BLOCK, &mask, nil)
    }

    /// One of them, and where it came from, if its sender waits for an answer.
    package struct Delivery: Sendable {
        package let signal: Signal
        let asker: Int32?
    }

    /// Waits for the next of them.
    package func next() -> Delivery {
        var mask = Self.mask(of: set)
        while true {
            var taken = gatehouse_signal()
            guard unsafe gatehouse_take_signal(&mask, nil, &taken) == 0, let signal = Signal(rawValue: taken.number)
            else { continue }
            return Delivery(signal: signal, asker: AnsweredSignal.asker(of: taken))
        }
    }

    /// A peer that hangs up is a failed write, and so is a file that may not grow: neither is the end of the process.
    package static func ignoreFailedWrites() {
        signal(SIGPIPE, SIG_IGN)
        signal(SIGXFSZ, SIG_IGN)
    }

    /// Ends this process as one of them would have done that nobody keeps.
    package static func end(by kept: Signal) {
        signal(kept.rawValue, SIG_DFL)
        var mask = mask(of: [kept])
        unsafe pthread_sigmask(SIG_UNBLOCK, &mask, nil)
        kill(getpid(), kept.rawValue)
    }

    static func mask(of signals: Set<Signal>) -> sigset_t {
        var mask = sigset_t()
        unsafe sigemptyset(&mask)
        for signal in signals { unsafe sigaddset(&mask, signal.rawValue) }
        return mask
    }
}

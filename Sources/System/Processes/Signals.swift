import CLinux
import Glibc

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

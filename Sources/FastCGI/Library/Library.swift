import CFastCGI
import Glibc

/// libfcgi's own state, which a process sets up once.
enum Library {
    /// Done on first use.
    static func initialize() {
        _ = once
    }

    /// `FCGX_Init` installs handlers for SIGPIPE, SIGTERM and SIGUSR1 over a default *or ignored* disposition; its handler for
    /// the last two ends the process's serving for good. The program above decides about signals, so its dispositions are
    /// put back, and none of these signals can arrive in between.
    private static let once: Void = {
        let signals = [SIGPIPE, SIGTERM, SIGUSR1]
        var previousMask = sigset_t()
        var mask = sigset_t()
        unsafe sigemptyset(&mask)
        for signal in signals { unsafe sigaddset(&mask, signal) }
        unsafe pthread_sigmask(SIG_BLOCK, &mask, &previousMask)
        let dispositions = signals.map { signal in
            var disposition = sigaction()
            unsafe sigaction(signal, nil, &disposition)
            return disposition
        }
        let failure = FCGX_Init()
        for (signal, disposition) in zip(signals, dispositions) {
            var disposition = disposition
            unsafe sigaction(signal, &disposition, nil)
        }
        ignoreBrokenPipes()
        unsafe pthread_sigmask(SIG_SETMASK, &previousMask, nil)
        precondition(failure == 0, "libfcgi could not be set up")
    }()

    /// libfcgi writes with `write`, so a peer that is gone raises SIGPIPE, whose default is the end of the process.
    private static func ignoreBrokenPipes() {
        _ = signal(SIGPIPE, SIG_IGN)
    }
}

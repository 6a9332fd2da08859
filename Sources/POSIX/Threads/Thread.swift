import CLinux
import Glibc
import Synchronization

/// A dedicated thread of the system's, for work that blocks. Signals meant for the process go elsewhere: a signal that
/// interrupts a C library's write would look to that library like a failed write.
package final class Thread: Sendable {
    private let handle: pthread_t
    private let isJoined = Atomic(false)

    private init(handle: pthread_t) {
        self.handle = handle
    }

    deinit {
        if !isJoined.load(ordering: .relaxed) { pthread_detach(handle) }
    }

    /// Starts a thread. The kernel shows at most 15 bytes of its name.
    package static func spawn(
        name: String, stackSize: Int = 1 << 20, body: @escaping @Sendable () -> Void
    ) throws(POSIXError) -> Thread {
        var attributes = pthread_attr_t()
        unsafe pthread_attr_init(&attributes)
        defer { unsafe pthread_attr_destroy(&attributes) }
        unsafe pthread_attr_setstacksize(&attributes, stackSize)

        var handle = pthread_t()
        let start = unsafe Unmanaged.passRetained(Start(name: name, body: body))
        let code = withProcessSignalsBlocked {
            unsafe pthread_create(&handle, &attributes, { unsafe Thread.run($0) }, start.toOpaque())
        }
        guard code == 0 else {
            unsafe start.release()
            throw POSIXError("pthread_create", code: code)
        }
        return Thread(handle: handle)
    }

    /// Waits until the thread has ended. Further calls return at once.
    package func join() {
        if !isJoined.exchange(true, ordering: .relaxed) { pthread_join(handle, nil) }
    }

    /// Puts the calling thread to sleep, for less when a signal comes in between.
    package static func pause(for duration: Duration) {
        var time = timespec(
            tv_sec: Int(duration.components.seconds), tv_nsec: Int(duration.components.attoseconds / 1_000_000_000))
        unsafe nanosleep(&time, nil)
    }

    private static func run(_ argument: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
        guard let argument = unsafe argument else { return nil }
        let start = unsafe Unmanaged<Start>.fromOpaque(argument).takeRetainedValue()
        _ = unsafe pthread_setname_np(pthread_self(), String(decoding: start.name.utf8.prefix(15), as: UTF8.self))
        start.body()
        return nil
    }

    /// A new thread inherits the mask it is born under, so there is no moment in which a signal could hit it. Those that
    /// a fault raises in the thread itself stay open, for the crash reporter.
    private static func withProcessSignalsBlocked(_ body: () -> Int32) -> Int32 {
        var blocked = sigset_t()
        var previous = sigset_t()
        unsafe sigfillset(&blocked)
        for fault in [SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGABRT, SIGSYS] {
            unsafe sigdelset(&blocked, fault)
        }
        unsafe pthread_sigmask(SIG_SETMASK, &blocked, &previous)
        defer { unsafe pthread_sigmask(SIG_SETMASK, &previous, nil) }
        return body()
    }

    /// What a thread is told at its birth.
    private final class Start: Sendable {
        let name: String
        let body: @Sendable () -> Void

        init(name: String, body: @escaping @Sendable () -> Void) {
            self.name = name
            self.body = body
        }
    }
}

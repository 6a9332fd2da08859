import CLinux
import Glibc
import Synchronization

/// A POSIX thread, for work that blocks. It blocks signals to the process: a C library may report a write that a signal
/// interrupts as failed.
package final class Thread: Sendable {
    private let handle: pthread_t
    private let isJoined = Atomic(false)

    private init(handle: pthread_t) {
        self.handle = handle
    }

    deinit {
        if !isJoined.load(ordering: .relaxed) { pthread_detach(handle) }
    }

    /// Starts a thread. The kernel truncates its name to 15 bytes.
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

    /// Suspends the calling thread; a signal ends the pause early.
    package static func pause(for duration: Duration) {
        var time = timespec(
            tv_sec: Int(duration.components.seconds), tv_nsec: Int(duration.components.attoseconds / 1_000_000_000))
        unsafe nanosleep(&time, nil)
    }

    /// Lets other threads that are ready to run on this processor go first.
    package static func yield() { sched_yield() }

    private static func run(_ argument: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
        guard let argument = unsafe argument else { return nil }
        let start = unsafe Unmanaged<Start>.fromOpaque(argument).takeRetainedValue()
        _ = unsafe pthread_setname_np(pthread_self(), String(decoding: start.name.utf8.prefix(15), as: UTF8.self))
        start.body()
        return nil
    }

    /// A new thread inherits the signal mask, so no signal can reach it before it has set its own. Signals of faults in
    /// the thread itself stay unblocked for the crash reporter.
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

    /// The arguments of a new thread.
    private final class Start: Sendable {
        let name: String
        let body: @Sendable () -> Void

        init(name: String, body: @escaping @Sendable () -> Void) {
            (self.name, self.body) = (name, body)
        }
    }
}

/// An object for each thread, created at its first access and released when the thread ends.
///
/// `@unchecked Sendable`: the key is not changed after `init`, and each thread gets an object of its own.
@safe
package final class ThreadLocal<Object: AnyObject>: @unchecked Sendable {
    private let key: pthread_key_t
    private let make: @Sendable () -> Object

    package init(_ make: @escaping @autoclosure @Sendable () -> Object) {
        var key = pthread_key_t()
        let failure = unsafe pthread_key_create(&key) { object in
            if let object = unsafe object { unsafe Unmanaged<AnyObject>.fromOpaque(object).release() }
        }
        precondition(failure == 0, "pthread_key_create failed: no thread-specific key is left")
        (self.key, self.make) = (key, make)
    }

    deinit {
        pthread_key_delete(key)
    }

    /// The object of the calling thread.
    package var own: Object {
        if let known = unsafe pthread_getspecific(key) {
            return unsafe Unmanaged<Object>.fromOpaque(known).takeUnretainedValue()
        }
        let object = make()
        unsafe pthread_setspecific(key, Unmanaged.passRetained(object).toOpaque())
        return object
    }
}

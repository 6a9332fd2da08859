internal import CLinux
internal import Glibc

/// A value protected by a mutex, with a condition variable on which threads wait for a change.
///
/// The standard library's Mutex has no condition variable.
///
/// `@unchecked Sendable`: the state is only accessed between pthread_mutex_lock and unlock, which according to POSIX
/// "synchronize memory with respect to other threads" (XBD 4.12).
@safe
package final class Monitor<State>: @unchecked Sendable {
    private let mutex = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
    private let condition = UnsafeMutablePointer<pthread_cond_t>.allocate(capacity: 1)
    private var state: State

    package init(_ state: State) {
        self.state = state
        var attributes = pthread_condattr_t()
        unsafe pthread_condattr_init(&attributes)
        // Deadlines use the monotonic clock.
        unsafe pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC)
        unsafe pthread_mutex_init(mutex, nil)
        unsafe pthread_cond_init(condition, &attributes)
        unsafe pthread_condattr_destroy(&attributes)
    }

    deinit {
        unsafe pthread_cond_destroy(condition)
        unsafe pthread_mutex_destroy(mutex)
        unsafe condition.deallocate()
        unsafe mutex.deallocate()
    }

    /// Changes the state and wakes every waiter. They are woken after the unlock, so that they
    /// do not block on the mutex.
    package func change<Result>(_ body: (inout State) -> Result) -> Result {
        defer { unsafe pthread_cond_broadcast(condition) }
        unsafe pthread_mutex_lock(mutex)
        defer { unsafe pthread_mutex_unlock(mutex) }
        return body(&state)
    }

    /// Changes the state and wakes one waiter: for a change that lets only one of them go on.
    package func changeForOne<Result>(_ body: (inout State) -> Result) -> Result {
        defer { unsafe pthread_cond_signal(condition) }
        unsafe pthread_mutex_lock(mutex)
        defer { unsafe pthread_mutex_unlock(mutex) }
        return body(&state)
    }

    /// Waits until `body` returns a result, and returns it. The body may change the state.
    package func wait<Result>(for body: (inout State) -> Result?) -> Result {
        if let result = look(for: body) { return result }
        return BlockingSection.run {
            unsafe pthread_mutex_lock(mutex)
            defer { unsafe pthread_mutex_unlock(mutex) }
            while true {
                if let result = body(&state) { return result }
                unsafe pthread_cond_wait(condition, mutex)
            }
        }
    }

    /// As `wait(for:)`, but returns nil after the timeout.
    package func wait<Result>(atMost time: Duration, for body: (inout State) -> Result?) -> Result? {
        if let result = look(for: body) { return result }
        var deadline = Self.deadline(after: time)
        return BlockingSection.run {
            unsafe pthread_mutex_lock(mutex)
            defer { unsafe pthread_mutex_unlock(mutex) }
            while true {
                if let result = body(&state) { return result }
                let woken = unsafe pthread_cond_timedwait(condition, mutex, &deadline)
                if woken == ETIMEDOUT { return body(&state) }
            }
        }
    }

    private func look<Result>(for body: (inout State) -> Result?) -> Result? {
        unsafe pthread_mutex_lock(mutex)
        defer { unsafe pthread_mutex_unlock(mutex) }
        return body(&state)
    }

    private static func deadline(after time: Duration) -> timespec {
        var now = timespec()
        unsafe clock_gettime(CLOCK_MONOTONIC, &now)
        let (seconds, attoseconds) = time.components
        let nanoseconds = now.tv_nsec + Int(attoseconds / 1_000_000_000)
        return timespec(
            tv_sec: now.tv_sec + Int(seconds) + nanoseconds / 1_000_000_000, tv_nsec: nanoseconds % 1_000_000_000)
    }
}

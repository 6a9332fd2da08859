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

/// A POSIX semaphore: `wait` blocks until `post` has been called. A post before the wait is counted.
///
/// `@unchecked Sendable`: POSIX lets any thread post and wait, and the memory lives as long as this object.
@safe
package final class Semaphore: @unchecked Sendable {
    private let semaphore = UnsafeMutablePointer<sem_t>.allocate(capacity: 1)

    package init() {
        unsafe sem_init(semaphore, 0, 0)
    }

    deinit {
        unsafe sem_destroy(semaphore)
        unsafe semaphore.deallocate()
    }

    package func post() {
        unsafe sem_post(semaphore)
    }

    package func wait() {
        while unsafe sem_wait(semaphore) != 0 && errno == EINTR {}
    }

    /// False if nothing was posted until this time of the monotonic clock.
    package func wait(untilMilliseconds time: Int64) -> Bool {
        var deadline = timespec(tv_sec: Int(time / 1000), tv_nsec: Int(time % 1000) * 1_000_000)
        while unsafe sem_clockwait(semaphore, CLOCK_MONOTONIC, &deadline) != 0 {
            guard errno == EINTR else { return false }
        }
        return true
    }
}

/// Work during which a thread may wait for another thread, the disk or the network. The worker pool of the thread lets
/// another worker run meanwhile, which the throughput of the server depends on.
///
/// The code that blocks does not need to know the pool. On a thread without a pool the work just runs.
package enum BlockingSection {
    private final class Hooks {
        var willBlock: (() -> Void)?
        var hasBlocked: (() -> Void)?
        var depth = 0
    }

    private static let hooks = ThreadLocal(Hooks())

    /// Sets what the pool does on the calling thread before and after each section.
    package static func set(before willBlock: @escaping () -> Void, after hasBlocked: @escaping () -> Void) {
        hooks.own.willBlock = willBlock
        hooks.own.hasBlocked = hasBlocked
    }

    package static func remove() {
        hooks.own.willBlock = nil
        hooks.own.hasBlocked = nil
    }

    /// Use it for every call that may block. A nested section does not notify the pool.
    package static func run<Result, Failure>(_ work: () throws(Failure) -> Result) throws(Failure) -> Result {
        let hooks = hooks.own
        if hooks.depth == 0 { hooks.willBlock?() }
        hooks.depth += 1
        defer {
            hooks.depth -= 1
            if hooks.depth == 0 { hooks.hasBlocked?() }
        }
        return try work()
    }
}

internal import CLinux
internal import Glibc

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

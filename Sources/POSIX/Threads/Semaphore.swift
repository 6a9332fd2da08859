internal import CLinux
internal import Glibc

/// What one thread sleeps on until another one calls it. A call that comes before the sleep is not lost.
///
/// `@unchecked Sendable`: POSIX lets any thread post and wait, and the memory lives as long as this does.
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
}

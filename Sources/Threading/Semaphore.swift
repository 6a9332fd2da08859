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
}

import Glibc

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
        self.key = key
        self.make = make
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

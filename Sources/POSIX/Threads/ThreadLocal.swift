import Glibc

/// An object that each thread has for itself, from its first look on and until it ends.
///
/// `@unchecked Sendable`: the key is never written after `init`, and what stands behind it is another object for each
/// thread, which no other thread can reach as long as this one does not pass it on.
@safe
package final class ThreadLocal<Object: AnyObject>: @unchecked Sendable {
    private let key: pthread_key_t
    private let make: @Sendable () -> Object

    package init(_ make: @escaping @autoclosure @Sendable () -> Object) {
        var key = pthread_key_t()
        let failure = unsafe pthread_key_create(&key) { object in
            if let object = unsafe object { unsafe Unmanaged<AnyObject>.fromOpaque(object).release() }
        }
        precondition(failure == 0, "there are keys for more than a thousand of these")
        self.key = key
        self.make = make
    }

    deinit {
        pthread_key_delete(key)
    }

    /// The calling thread's own.
    package var own: Object {
        if let known = unsafe pthread_getspecific(key) {
            return unsafe Unmanaged<Object>.fromOpaque(known).takeUnretainedValue()
        }
        let object = make()
        unsafe pthread_setspecific(key, Unmanaged.passRetained(object).toOpaque())
        return object
    }
}
